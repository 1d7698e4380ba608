import { Badge, Group, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { CapsLockHint } from '../../components/identity/CapsLockHint.tsx';
import { useCaptcha } from '../../components/identity/Captcha.tsx';
import {
  isDefaultPassword,
  noteDefaultPassword,
} from '../../components/identity/default-password.ts';
import { say } from '../../components/layout/toasts.tsx';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { client } from '../../lib/api/api.ts';
import { STORED } from '../../lib/browser/stored.ts';
import type { SessionUser } from '../../lib/session/session-user.ts';
import { EntryForm } from './EntryForm.tsx';

const account = client({ login: accountCalls.login });

interface PasswordFormProps {
  /** If set, the method used last time is marked. */
  readonly hasOthers: boolean;
  readonly onSignedIn: (user: SessionUser, isDefault: boolean) => unknown;
}

export function PasswordForm({ hasOthers, onSignedIn }: PasswordFormProps) {
  const { t } = useTranslation();
  const captcha = useCaptcha();
  const required = (value: string) => (value.trim() === '' ? t('signIn.bothNeeded') : null);
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: { username: required, password: required },
  });
  const send = async (values: { readonly username: string; readonly password: string }) => {
    try {
      const user = await account.login(values, captcha.options);
      const isDefault = isDefaultPassword(values.username, values.password);
      noteDefaultPassword(isDefault);
      await onSignedIn(user, isDefault);
    } finally {
      captcha.renew();
    }
  };
  const submission = useSubmit(form, send, () => say.error(t('signIn.bothNeeded')));
  return (
    <EntryForm
      captcha={captcha}
      submission={submission}
      label={
        <Group gap={8} wrap="nowrap">
          {t('signIn.submit')}
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
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label={t('signIn.password')}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': t('part.password.reveal') }}
        {...form.getInputProps('password')}
      />
      <CapsLockHint />
    </EntryForm>
  );
}
