import { Badge, Button, Divider, Stack } from '@mantine/core';
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFingerprint,
  IconUsersGroup,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import {
  type IdentityProvider,
  REDIRECT_PROVIDERS,
  type RedirectProvider,
} from '../../../../src/domain/identity-providers.ts';
import { say } from '../../components/layout/toasts.tsx';
import { client } from '../../lib/api/api.ts';
import { STORED } from '../../lib/browser/stored.ts';
import { returnPlace } from '../../lib/session/return-to.ts';
import type { OutsideMethod } from './methods.ts';
import { TelegramSignIn } from './TelegramSignIn.tsx';
import { WechatDialog } from './WechatDialog.tsx';

const oauth = client({ start: oauthCalls.start });

const ICONS: Record<IdentityProvider, ReactNode> = {
  github: <IconBrandGithub size={18} />,
  oidc: <IconFingerprint size={18} />,
  linuxdo: <IconUsersGroup size={18} />,
  wechat: <IconBrandWechat size={18} />,
  telegram: <IconBrandTelegram size={18} />,
};

interface OutsideButtonsProps {
  readonly methods: readonly OutsideMethod[];
  readonly hasDivider: boolean;
  readonly returnTo: string | null;
}

/** One button per enabled sign-in method. */
export function OutsideButtons({ methods, hasDivider, returnTo }: OutsideButtonsProps) {
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
      say.failure(error);
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
      {methods.map(({ provider, label }) => (
        <Button
          key={provider}
          variant="default"
          fullWidth
          leftSection={ICONS[provider]}
          rightSection={
            STORED.lastSignIn.read() === provider && <Badge size="xs">{t('signIn.lastUsed')}</Badge>
          }
          loading={busy === provider}
          onClick={() => press(provider)}
        >
          {t('signIn.with', { name: label })}
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
  const { url } = await oauth.start({
    provider,
    return_to: returnPlace(returnTo),
    ...(aff !== '' && { aff }),
  });
  window.location.assign(url);
}
