import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import {
  type IdentityProvider,
  REDIRECT_PROVIDERS,
} from '../../../../../src/domain/identity-providers.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { identityName } from '../../../components/identity/identity-name.ts';
import { PROVIDER_ICONS } from '../../../components/identity/providers.tsx';
import { TelegramWidget } from '../../../components/identity/TelegramWidget.tsx';
import { WechatCodeDialog } from '../../../components/identity/WechatCodeDialog.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import type { Self } from '../../../lib/api/account.ts';
import { selfKeys } from '../../../lib/api/query-keys.ts';
import { usePrivacy } from '../../../lib/display/privacy.ts';
import {
  endTelegram,
  ownTelegramAnswer,
  type TelegramAnswer,
} from '../../../lib/session/telegram.ts';
import { useStatus } from '../../../lib/site/status.ts';
import { oauth } from '../calls.ts';
import classes from './Bindings.module.css';
import { type Binding, bindingsOf } from './bindings.ts';
import { EmailDialog } from './EmailDialog.tsx';

/** Path of this panel. */
const BINDINGS_PATH = '/app/me';

/** Sign-in methods besides the password. */
export function BindingsPanel({ self }: { readonly self: Self }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<'email' | 'wechat' | 'telegram' | ''>('');
  const { bind, unbind, leave } = useBinding();
  useTelegramAnswer();
  const press = (provider: IdentityProvider) => {
    const redirect = REDIRECT_PROVIDERS.find((name) => name === provider);
    if (redirect !== undefined) leave.mutate(redirect);
    else if (provider === 'wechat' || provider === 'telegram') setOpen(provider);
  };
  return (
    <Stack gap="xs">
      <Dimmed size="sm">
        {t('account.bind.hint')}{' '}
        <Anchor component={Link} to="/user/edit" inherit underline="always">
          {t('account.editProfile')}
        </Anchor>
      </Dimmed>
      <ul className={classes.list}>
        <Row icon={<IconMail size={18} />} name={t('account.bind.email')} value={self.email}>
          <SideButton
            size="xs"
            label={t(self.email === '' ? 'account.bind.bind' : 'account.bind.change')}
            onClick={() => setOpen('email')}
          />
        </Row>
        {bindingsOf(self, useStatus()).map((binding) => (
          <Row
            key={binding.provider}
            icon={PROVIDER_ICONS[binding.provider]}
            name={identityName(binding.provider, t)}
            value={binding.value}
          >
            <Buttons
              binding={binding}
              isBusy={leave.isPending && leave.variables === binding.provider}
              onBind={() => press(binding.provider)}
              onUnbind={() => unbind.run(binding)}
            />
          </Row>
        ))}
      </ul>
      {open === 'telegram' && <TelegramWidget returnTo={BINDINGS_PATH} />}
      {open === 'email' && <EmailDialog onClose={() => setOpen('')} />}
      <WechatCodeDialog
        isOpen={open === 'wechat'}
        onClose={() => setOpen('')}
        title={t('account.bind.wechat')}
        submitLabel={t('account.bind.bind')}
        onCode={async (code) => {
          await bind.mutateAsync(code);
          setOpen('');
        }}
      />
    </Stack>
  );
}

interface RowProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Row({ icon, name, value, children }: RowProps) {
  const { t } = useTranslation();
  const isHidden = usePrivacy();
  return (
    <li className={classes.row}>
      {icon}
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fw={500}>{name}</Text>
        <Dimmed truncate title={isHidden ? undefined : value}>
          {value === '' ? t('account.bind.none') : isHidden ? '•••' : value}
        </Dimmed>
      </div>
      <Group gap={6} wrap="nowrap">
        {children}
      </Group>
    </li>
  );
}

interface ButtonsProps {
  readonly binding: Binding;
  readonly isBusy: boolean;
  readonly onBind: () => void;
  readonly onUnbind: () => void;
}

function Buttons({ binding, isBusy, onBind, onUnbind }: ButtonsProps) {
  const { t } = useTranslation();
  const { value, isOffered } = binding;
  const name = identityName(binding.provider, t);
  if (value !== '')
    return (
      <>
        <SideButton size="xs" disabled label={t('account.bind.bound')} />
        <Button
          size="xs"
          variant="subtle"
          color="danger"
          aria-label={t('account.bind.unbindOne', { name })}
          onClick={onUnbind}
        >
          {t('account.bind.unbind')}
        </Button>
      </>
    );
  return (
    <SideButton
      size="xs"
      disabled={!isOffered}
      loading={isBusy}
      aria-label={isOffered ? t('account.bind.bindOne', { name }) : undefined}
      label={t(isOffered ? 'account.bind.bind' : 'account.bind.off')}
      onClick={onBind}
    />
  );
}

function useBinding() {
  const { t } = useTranslation();
  const touches = [selfKeys];
  const bind = useAction((code: string) => oauth.postBindWechat({ code }), {
    touches,
    done: () => t('account.bind.done'),
    onFailed: () => undefined,
  });
  const unbind = useAction(({ provider }: Binding) => oauth.unbind({ provider }), {
    touches,
    done: () => t('account.bind.undone'),
    confirm: ({ provider }) => {
      const name = identityName(provider, t);
      return {
        title: t('account.bind.askUnbind', { name }),
        text: t('account.bind.unbindHint'),
        verb: t('account.bind.unbind'),
        isDanger: true,
      };
    },
  });
  const leave = useAction(
    (provider: (typeof REDIRECT_PROVIDERS)[number]) =>
      oauth.start({ provider, return_to: BINDINGS_PATH }),
    { onDone: ({ url }) => window.location.assign(url) },
  );
  return { bind, unbind, leave };
}

/** Submits the result of the Telegram redirect once and removes it from the URL. */
function useTelegramAnswer(): void {
  const { t } = useTranslation();
  const [query, setQuery] = useSearchParams();
  const bind = useAction((answer: TelegramAnswer) => oauth.postBindTelegram(answer), {
    touches: [selfKeys],
    done: () => t('account.bind.done'),
  });
  const send = useEffectEvent(() => {
    const answer = ownTelegramAnswer(query);
    if (answer === undefined) return;
    endTelegram();
    setQuery({}, { replace: true });
    bind.mutate(answer);
  });
  useEffect(() => send(), []);
}
