import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { say } from '../../components/layout/toasts.tsx';
import { client } from '../../lib/api/api.ts';
import { endSession } from '../../lib/session/session.ts';

/** Ends the session locally even if the sign-out call fails. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  return async () => {
    await tellServer().catch(() => undefined);
    endSession();
    cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' });
    say.success(t('shell.signedOut'));
    await navigate('/login');
  };
}

async function tellServer(): Promise<void> {
  const { accountCalls } = await import('../../../../src/api/accounts/account.ts');
  await client({ logout: accountCalls.logout }).logout({});
}
