import { Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import {
  REDIRECT_PROVIDERS,
  type RedirectProvider,
} from '../../../../src/domain/identity-providers.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { identityName } from '../../components/identity/identity-name.ts';
import { toast } from '../../components/layout/toasts.tsx';
import { ApiError, client } from '../../lib/api/api.ts';
import { keptReturnTo, signInPath } from '../../lib/session/return-to.ts';
import { useUser } from '../../lib/session/session.ts';
import { EntryCard } from './EntryCard.tsx';
import { useSignedIn } from './useSignedIn.ts';

const oauth = client({
  github: oauthCalls.github,
  oidc: oauthCalls.oidc,
  linuxdo: oauthCalls.linuxdo,
});
const MAX_REPEATS = 2;
/** Redirect target of a signed-in user: after binding, or after a failure. */
const SETTINGS = '/admin/settings';

/** The provider's redirect target: submits its whole query to the gateway, once. */
export function CallbackPage() {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const signedIn = useSignedIn();
  const user = useUser();
  const returnTo = new URLSearchParams(search).get('returnTo') ?? keptReturnTo();
  const provider = providerOf(pathname);
  const { data, error } = useQuery({
    queryKey: ['sign-in', provider, search],
    queryFn: () => oauth[provider](Object.fromEntries(new URLSearchParams(search))),
    staleTime: Number.POSITIVE_INFINITY,
    // Retry only if no response arrived, because a state is valid once.
    retry: (failures, failure) =>
      failures < MAX_REPEATS && failure instanceof ApiError && failure.kind === 'unreachable',
  });
  const end = useEffectEvent(() => {
    if (data?.data) {
      void signedIn(data.data, provider, data.return_to ?? returnTo);
    } else if (data) {
      toast.success(t('signIn.callback.bound', { name: identityName(provider, t) }));
      void navigate(SETTINGS, { replace: true });
    }
    if (!error) return;
    toast.failure(error);
    void navigate(user === undefined ? signInPath(returnTo) : SETTINGS, { replace: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the response arrives
  useEffect(() => end(), [data, error]);
  return (
    <EntryCard title={t('signIn.callback.title', { name: identityName(provider, t) })}>
      <Stack align="center" gap="sm" role="status">
        <Loader size="sm" />
        <Dimmed size="sm">
          <Elapsed />
        </Dimmed>
        <SideButton
          label={t('action.cancel')}
          onClick={() => void navigate(signInPath(returnTo), { replace: true })}
        />
      </Stack>
    </EntryCard>
  );
}

function providerOf(pathname: string): RedirectProvider {
  const name = pathname.split('/').at(2);
  return REDIRECT_PROVIDERS.find((provider) => provider === name) ?? 'oidc';
}

function Elapsed() {
  const { t } = useTranslation();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span aria-live="off">{t('signIn.callback.waiting', { seconds })}</span>;
}
