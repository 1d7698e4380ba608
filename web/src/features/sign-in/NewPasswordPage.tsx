import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { Notice } from '../../components/display/Notice.tsx';
import { SecretText } from '../../components/display/SecretText.tsx';
import { problemText } from '../../components/forms/call-problem.ts';
import { client } from '../../lib/api/api.ts';
import { EntryCard } from './EntryCard.tsx';

const account = client({ resetPassword: accountCalls.resetPassword });

/** Target of the emailed link: resets the password to a generated one. */
export function NewPasswordPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const email = query.get('email') ?? '';
  const token = query.get('token') ?? '';
  const reset = useMutation({ mutationFn: () => account.resetPassword({ email, token }) });
  if (email === '' || token === '') {
    return (
      <EntryCard
        title={t('signIn.newPassword.title')}
        links={[{ to: '/reset', text: t('signIn.newPassword.again') }]}
      >
        <Notice tone="yellow">{t('signIn.newPassword.broken')}</Notice>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t('signIn.newPassword.title')} hint={email}>
      <Stack gap="sm" aria-live="polite">
        {reset.error && <Notice tone="red">{problemText(t, reset.error)}</Notice>}
        {reset.isSuccess ? (
          <>
            <Text>{t('signIn.newPassword.done')}</Text>
            <SecretText secret={reset.data} label={t('signIn.newPassword.copy')} />
            <Button component={Link} to="/login" fullWidth>
              {t('common.signIn')}
            </Button>
          </>
        ) : (
          <Button fullWidth loading={reset.isPending} onClick={() => reset.mutate()}>
            {t('signIn.reset.title')}
          </Button>
        )}
      </Stack>
    </EntryCard>
  );
}
