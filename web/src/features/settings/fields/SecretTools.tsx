import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { optionKeys } from '../../../lib/api/query-keys.ts';
import { options } from '../calls.ts';
import type { FormKey } from '../sections/tabs.ts';
import { useFieldTexts } from './field-texts.ts';

/** A blank field keeps the secret, so clearing it needs its own button. */
export function SecretTools({ option }: { readonly option: FormKey }) {
  const { t } = useTranslation();
  const { failure } = useFieldTexts();
  const name = t(`setting.name.${option}`);
  const remove = useAction(() => options.unset({ key: option }), {
    touches: [optionKeys],
    onFailed: (error) => toast.error(t('part.named', { name, value: failure(error) })),
    done: () => t('setting.secret.removed'),
    confirm: () => ({
      title: t('setting.secret.ask', { name }),
      text: t('setting.secret.consequence'),
      verb: t('setting.secret.remove'),
      isDanger: true,
    }),
  });
  return (
    <div>
      <Button
        size="compact-xs"
        variant="subtle"
        color="danger"
        aria-label={t('part.named', { name: t('setting.secret.remove'), value: name })}
        onClick={() => remove.run(undefined)}
      >
        {t('setting.secret.remove')}
      </Button>
    </div>
  );
}
