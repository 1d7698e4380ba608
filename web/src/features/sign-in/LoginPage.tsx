import { Badge, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useSearchParams } from 'react-router-dom';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { Notice } from '../../components/display/Notice.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { CapsLockHint } from '../../components/identity/CapsLockHint.tsx';
import { useCaptcha } from '../../components/identity/Captcha.tsx';
import {
  isDefaultPassword,
  setUsesDefaultPassword,
} from '../../components/identity/default-password.ts';
import { offeredProviders } from '../../components/identity/providers.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { client } from '../../lib/api/api.ts';
import { STORED } from '../../lib/browser/stored.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { returnPath } from '../../lib/session/return-to.ts';
import { storedUser } from '../../lib/session/session.ts';
import type { SessionUser } from '../../lib/session/session-user.ts';
import { useStatus } from '../../lib/site/status.ts';
import { EntryCard } from './EntryCard.tsx';
import { EntryForm } from './EntryForm.tsx';
import { ProviderButtons } from './ProviderButtons.tsx';
import { useSignedIn } from './useSignedIn.ts';

export function LoginPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const returnTo = query.get('returnTo');
  const status = useStatus();
  const [wasSignedIn] = useState(() => storedUser() !== undefined && !query.has('hash'));
  const [warned, setWarned] = useState<SessionUser | undefined>(undefined);
  const signedIn = useSignedIn();
  const links = useLinks();
  if (wasSignedIn) return <Navigate replace to={returnPath(returnTo)} />;

  const byPassword = status?.password_login_enabled !== false;
  const methods = offeredProviders(status);
  return (
    <EntryCard title={t('common.signIn')} hint={status?.system_name} links={links}>
      <Stack gap="md">
        {query.has('expired') && <Notice tone="yellow">{t('signIn.expired')}</Notice>}
        {byPassword && (
          <PasswordForm
            hasOthers={methods.length > 0}
            onSignedIn={(user, isDefault) =>
              isDefault ? setWarned(user) : signedIn(user, 'password', returnTo)
            }
          />
        )}
        <ProviderButtons methods={methods} hasDivider={byPassword} returnTo={returnTo} />
        {!byPassword && methods.length === 0 && (
          <Notice tone="yellow">{t('signIn.noMethod')}</Notice>
        )}
      </Stack>
      <DefaultPasswordDialog
        isOpen={warned !== undefined}
        onRead={(next) => warned && void signedIn(warned, 'password', next)}
        returnTo={returnTo}
      />
    </EntryCard>
  );
}

function useLinks() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const status = useStatus();
  const returnTo = query.get('returnTo');
  const register =
    returnTo === null ? '/register' : `/register?returnTo=${encodeURIComponent(returnTo)}`;
  return [
    ...(status?.register_enabled ? [{ to: register, text: t('signIn.toRegister') }] : []),
    { to: '/reset', text: t('signIn.forgot') },
  ];
}

interface DefaultPasswordDialogProps {
  readonly isOpen: boolean;
  readonly returnTo: string | null;
  readonly onRead: (next: string | null) => void;
}

/** Cannot be dismissed accidentally: the documented default credentials are still in use. */
function DefaultPasswordDialog({ isOpen, returnTo, onRead }: DefaultPasswordDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('signIn.default.title')}
    >
      <Text>{t('signIn.default.text')}</Text>
      <Stack gap="xs" mt="md">
        <Button component={Link} to="/app/me" onClick={() => onRead('/app/me')}>
          {t('common.changeThePassword')}
        </Button>
        <SideButton label={t('signIn.default.later')} onClick={() => onRead(returnTo)} />
      </Stack>
    </Modal>
  );
}

const account = client({ login: accountCalls.login });

interface PasswordFormProps {
  /** If set, the method used last time is marked. */
  readonly hasOthers: boolean;
  readonly onSignedIn: (user: SessionUser, isDefault: boolean) => unknown;
}

function PasswordForm({ hasOthers, onSignedIn }: PasswordFormProps) {
  const { t } = useTranslation();
  const captcha = useCaptcha();
  // On a phone the keyboard would cover the other ways to sign in.
  const isPhone = useIsPhone();
  const required = (value: string) => (value.trim() === '' ? t('signIn.bothNeeded') : null);
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: { username: required, password: required },
  });
  const send = async (values: { readonly username: string; readonly password: string }) => {
    try {
      const user = await account.login(values, captcha.options);
      const isDefault = isDefaultPassword(values.username, values.password);
      setUsesDefaultPassword(isDefault);
      await onSignedIn(user, isDefault);
    } finally {
      captcha.renew();
    }
  };
  const submission = useSubmit(form, send, {
    onInvalid: () => toast.error(t('signIn.bothNeeded')),
  });
  return (
    <EntryForm
      captcha={captcha}
      submission={submission}
      label={
        <Group gap={8} wrap="nowrap">
          {t('common.signIn')}
          {hasOthers && STORED.lastSignIn.read() === 'password' && (
            <Badge size="xs" variant="white">
              {t('signIn.lastUsed')}
            </Badge>
          )}
        </Group>
      }
    >
      <TextInput
        label={t('signIn.username')}
        autoFocus={!isPhone}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label={t('common.password')}
        autoComplete="current-password"
        {...form.getInputProps('password')}
      />
      <CapsLockHint />
    </EntryForm>
  );
}
