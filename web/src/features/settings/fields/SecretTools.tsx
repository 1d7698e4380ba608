import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { optionKeys, options } from '../calls.ts';
import type { FormKey } from '../sections/tabs.ts';

/** A blank field keeps the secret, so clearing it needs its own button. */
export function SecretTools({ option }: { readonly option: FormKey }) {
  const { t } = useTranslation();
  const name = t(`setting.name.${option}`);
  const remove = useAction(() => options.unset({ key: option }), {
    touches: [optionKeys],
    done: () => t('setting.secret.removed'),
  });
  const ask = async () => {
    const isSure = await confirm({
      title: t('setting.secret.ask', { name }),
      text: t('setting.secret.consequence'),
      verb: t('setting.secret.remove'),
      isDanger: true,
    });
    if (isSure) remove.mutate(undefined);
  };
  return (
    <div>
      <Button
        size="compact-xs"
        variant="subtle"
        color="danger"
        aria-label={`${t('setting.secret.remove')}: ${name}`}
        onClick={() => void ask()}
      >
        {t('setting.secret.remove')}
      </Button>
    </div>
  );
}
