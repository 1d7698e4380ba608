import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { say } from '../../components/layout/toasts.tsx';
import { returnPlace } from '../../lib/return-to.ts';
import { keepUser } from '../../lib/session.ts';
import type { SessionUser } from '../../lib/session-user.ts';
import { STORED } from '../../lib/stored.ts';

/** The answer that signed in stays: its page would ask again, with a state that is spent. */
const KEPT = new Set<unknown>(['status', 'sign-in']);

/** What follows every way of signing in: the user is kept, old answers go, and on to the place wanted. */
export function useSignedIn(): (
  user: SessionUser,
  method: string,
  returnTo: string | null,
) => Promise<void> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const navigate = useNavigate();
  return async (user, method, returnTo) => {
    keepUser(user);
    STORED.lastSignIn.write(method);
    STORED.affCode.clear();
    cache.removeQueries({ predicate: ({ queryKey }) => !KEPT.has(queryKey[0]) });
    void cache.invalidateQueries({ queryKey: ['status'] });
    say.success(t('signIn.done'));
    await navigate(returnPlace(returnTo), { replace: true });
  };
}
