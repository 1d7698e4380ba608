import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText, copyText } from '../../../components/display/copy.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { account } from '../calls.ts';
import { Section } from './SecuritySection.tsx';

/** The access token for account-management programs; the gateway stores only its hash. */
export function AccessToken() {
  const { t } = useTranslation();
  const [made, setMade] = useState<string | undefined>(undefined);
  const make = useAction(() => account.newToken({}), {
    onDone: async (token) => {
      setMade(token);
      if (await copyText(token)) say.success(t('account.token.done'));
    },
  });
  const end = useAction(() => account.endToken({}), {
    done: () => t('account.token.ended'),
    onDone: () => setMade(undefined),
  });
  const ask = async () => {
    const isSure = await confirm({
      title: t('account.token.ask'),
      text: t('account.token.askHint'),
      verb: t('account.token.make'),
    });
    if (isSure) make.mutate(undefined);
  };
  const askEnd = async () => {
    const isSure = await confirm({
      title: t('account.token.askEnd'),
      text: t('account.token.askEndHint'),
      verb: t('account.token.end'),
      isDanger: true,
    });
    if (isSure) end.mutate(undefined);
  };
  return (
    <Section title={t('account.token.title')} hint={t('account.token.hint')}>
      {made !== undefined && (
        <Notice tone="green" title={t('account.token.once')}>
          <CopyText text={made} label={t('action.copy')} />
        </Notice>
      )}
      <Group gap="xs">
        <Button variant="default" loading={make.isPending} onClick={() => void ask()}>
          {t('account.token.make')}
        </Button>
        <Button
          variant="subtle"
          color="danger"
          loading={end.isPending}
          onClick={() => void askEnd()}
        >
          {t('account.token.end')}
        </Button>
      </Group>
    </Section>
  );
}
