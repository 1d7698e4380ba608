import { Badge, Button, Center, Divider, Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import {
  type IdentityProvider,
  REDIRECT_PROVIDERS,
  type RedirectProvider,
} from '../../../../src/domain/identity-providers.ts';
import { identityName } from '../../components/identity/identity-name.ts';
import { PROVIDER_ICONS } from '../../components/identity/providers.tsx';
import { TelegramWidget } from '../../components/identity/TelegramWidget.tsx';
import { WechatCodeDialog } from '../../components/identity/WechatCodeDialog.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { client } from '../../lib/api/api.ts';
import { STORED } from '../../lib/browser/stored.ts';
import { keepReturnTo, returnPath } from '../../lib/session/return-to.ts';
import { endTelegram, ownTelegramAnswer, type TelegramAnswer } from '../../lib/session/telegram.ts';
import { useSignedIn } from './useSignedIn.ts';

const oauth = client(oauthCalls);

interface ProviderButtonsProps {
  readonly methods: readonly IdentityProvider[];
  readonly hasDivider: boolean;
  readonly returnTo: string | null;
}

/** One button per enabled sign-in method. */
export function ProviderButtons({ methods, hasDivider, returnTo }: ProviderButtonsProps) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState<IdentityProvider | undefined>(undefined);
  const [isWechatOpen, setWechatOpen] = useState(false);
  const [isTelegramOpen, setTelegramOpen] = useState(false);
  if (methods.length === 0) return null;
  const start = async (provider: RedirectProvider) => {
    setBusy(provider);
    try {
      await leaveFor(provider, returnTo);
    } catch (error) {
      toast.failure(error);
      setBusy(undefined);
    }
  };
  const press = (provider: IdentityProvider) => {
    if (provider === 'wechat') setWechatOpen(true);
    else if (provider === 'telegram') setTelegramOpen(true);
    else if (isRedirect(provider)) void start(provider);
  };
  return (
    <Stack gap="xs">
      {hasDivider && <Divider label={t('signIn.or')} />}
      {methods.map((provider) => (
        <Button
          key={provider}
          variant="default"
          fullWidth
          leftSection={PROVIDER_ICONS[provider]}
          rightSection={
            STORED.lastSignIn.read() === provider && <Badge size="xs">{t('signIn.lastUsed')}</Badge>
          }
          loading={busy === provider}
          onClick={() => press(provider)}
        >
          {provider === 'wechat'
            ? t('signIn.wechat.title')
            : t('signIn.with', { name: identityName(provider, t) })}
        </Button>
      ))}
      <TelegramSignIn isOpen={isTelegramOpen} returnTo={returnTo} />
      <WechatDialog
        isOpen={isWechatOpen}
        onClose={() => setWechatOpen(false)}
        returnTo={returnTo}
      />
    </Stack>
  );
}

function isRedirect(provider: IdentityProvider): provider is RedirectProvider {
  return REDIRECT_PROVIDERS.some((name) => name === provider);
}

async function leaveFor(provider: RedirectProvider, returnTo: string | null): Promise<void> {
  const aff = STORED.affCode.read();
  keepReturnTo(returnTo ?? '');
  const { url } = await oauth.start({
    provider,
    return_to: returnPath(returnTo),
    ...(aff !== '' && { aff }),
  });
  window.location.assign(url);
}

interface TelegramSignInProps {
  /** The widget's script is loaded only after its button was pressed. */
  readonly isOpen: boolean;
  readonly returnTo: string | null;
}

function TelegramSignIn({ isOpen, returnTo }: TelegramSignInProps) {
  const [query] = useSearchParams();
  const answer = ownTelegramAnswer(query);
  const signInPath = returnTo === null ? '/login' : `/login?${new URLSearchParams({ returnTo })}`;
  if (answer !== undefined) return <Finish answer={answer} returnTo={returnTo} />;
  return isOpen ? <TelegramWidget returnTo={signInPath} /> : null;
}

interface FinishProps {
  readonly answer: TelegramAnswer;
  readonly returnTo: string | null;
}

function Finish({ answer, returnTo }: FinishProps) {
  const [, setQuery] = useSearchParams();
  const signedIn = useSignedIn();
  const { data, error } = useQuery({
    queryKey: ['sign-in', 'telegram', answer.hash],
    queryFn: () => oauth.postTelegram(answer),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const end = useEffectEvent(() => {
    if (data || error) endTelegram();
    if (data) void signedIn(data, 'telegram', returnTo);
    if (!error) return;
    toast.failure(error);
    setQuery(returnTo === null ? {} : { returnTo }, { replace: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the response arrives
  useEffect(() => end(), [data, error]);
  return (
    <Center mih={40}>
      <Loader size="sm" />
    </Center>
  );
}

interface WechatDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly returnTo: string | null;
}

function WechatDialog({ isOpen, onClose, returnTo }: WechatDialogProps) {
  const { t } = useTranslation();
  const signedIn = useSignedIn();
  return (
    <WechatCodeDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('signIn.wechat.title')}
      submitLabel={t('common.signIn')}
      onCode={async (code) => {
        const aff = STORED.affCode.read();
        keepReturnTo(returnTo ?? '');
        const user = await oauth.postWechat({ code, ...(aff !== '' && { aff }) });
        await signedIn(user, 'wechat', returnTo);
      }}
    />
  );
}
