import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { toast } from '../../components/layout/toasts.tsx';
import { adoptAccountLanguage } from '../../lib/api/account-language.ts';
import { STORED } from '../../lib/browser/stored.ts';
import { returnPath } from '../../lib/session/return-to.ts';
import { storeUser } from '../../lib/session/session.ts';
import type { SessionUser } from '../../lib/session/session-user.ts';

/** Keep the sign-in response: its page would submit again, with a used state. */
const KEPT = new Set<unknown>(['status', 'sign-in']);

/** Completes every sign-in: stores the user, clears cached responses and redirects on. */
export function useSignedIn(): (
  user: SessionUser,
  method: string,
  returnTo: string | null,
) => Promise<void> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const navigate = useNavigate();
  return async (user, method, returnTo) => {
    storeUser(user);
    STORED.lastSignIn.write(method);
    STORED.affCode.clear();
    cache.removeQueries({ predicate: ({ queryKey }) => !KEPT.has(queryKey[0]) });
    void cache.invalidateQueries({ queryKey: ['status'] });
    void adoptAccountLanguage().catch(() => undefined);
    toast.success(t('signIn.done'));
    await navigate(returnPath(returnTo), { replace: true });
  };
}
