import { PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Notice } from '../../components/display/Notice.tsx';
import { CapsLockHint } from '../../components/identity/CapsLockHint.tsx';
import { type Captcha, useCaptcha } from '../../components/identity/Captcha.tsx';
import { EmailCode } from '../../components/identity/EmailCode.tsx';
import { MIN_PASSWORD_LENGTH, PasswordRules } from '../../components/identity/PasswordRules.tsx';
import { offeredProviders } from '../../components/identity/providers.tsx';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { signedInUser } from '../../lib/api/account.ts';
import { client } from '../../lib/api/api.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useStatus } from '../../lib/site/status.ts';
import { AcceptedTexts } from './AcceptedTexts.tsx';
import { EntryCard } from './EntryCard.tsx';
import { EntryForm } from './EntryForm.tsx';
import { ProviderButtons } from './ProviderButtons.tsx';
import { useSignedIn } from './useSignedIn.ts';

const account = client({ register: accountCalls.register });
const LONGEST_USERNAME = 12;

export function RegisterPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const status = useStatus();
  const captcha = useCaptcha();
  const given = query.get('aff') ?? '';
  const [aff, setAff] = useStored(STORED.affCode);
  useEffect(() => {
    if (given !== '') setAff(given);
  }, [given, setAff]);
  const isOpen = status?.register_enabled !== false;
  const byPassword = isOpen && status?.password_register_enabled !== false;
  const methods = isOpen ? offeredProviders(status) : [];
  return (
    <EntryCard
      title={t('common.register')}
      hint={status?.system_name}
      links={[{ to: `/login${signInQuery(query)}`, text: t('signIn.toLogin') }]}
    >
      <Stack gap="md">
        {!isOpen && <Notice tone="yellow">{t('signIn.register.closed')}</Notice>}
        {isOpen && aff !== '' && (
          <Notice tone="blue">{t('signIn.register.invited', { code: aff })}</Notice>
        )}
        {byPassword && <RegisterForm captcha={captcha} aff={aff} />}
        <ProviderButtons
          methods={methods}
          hasDivider={byPassword}
          returnTo={query.get('returnTo')}
        />
        {isOpen && <AcceptedTexts />}
      </Stack>
    </EntryCard>
  );
}

function signInQuery(query: URLSearchParams): string {
  const returnTo = query.get('returnTo');
  return returnTo === null ? '' : `?returnTo=${encodeURIComponent(returnTo)}`;
}

function useRegisterForm() {
  const { t } = useTranslation();
  const asksEmail = useStatus()?.email_verification === true;
  const unlessEmail = (value: string) =>
    asksEmail && value.trim() === '' ? t('signIn.required') : null;
  return useForm({
    initialValues: { username: '', password: '', password2: '', email: '', verification_code: '' },
    validate: {
      username: (value) => (value.trim() === '' ? t('signIn.required') : null),
      password: (value) =>
        value.length < MIN_PASSWORD_LENGTH ? t('common.passwordTooShort') : null,
      password2: (value, { password }) => (value === password ? null : t('common.passwordsDiffer')),
      email: unlessEmail,
      verification_code: unlessEmail,
    },
  });
}

function RegisterForm({ captcha, aff }: { readonly captcha: Captcha; readonly aff: string }) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const { email_verification: asksEmail = false, email_domains: domains = [] } = useStatus() ?? {};
  const signedIn = useSignedIn();
  const form = useRegisterForm();
  const submission = useSubmit(form, async ({ email, verification_code: code, ...values }) => {
    try {
      await account.register(
        {
          ...values,
          ...(asksEmail && { email: email.trim(), verification_code: code.trim() }),
          ...(aff !== '' && { aff_code: aff }),
        },
        captcha.options,
      );
    } finally {
      captcha.renew();
    }
    await signedIn(await signedInUser(), 'password', query.get('returnTo'));
  });
  const { password, password2 } = form.values;
  return (
    <EntryForm
      captcha={captcha}
      submission={submission}
      label={t('common.register')}
      note={!asksEmail && <Dimmed>{t('signIn.register.note')}</Dimmed>}
    >
      <TextInput
        label={t('signIn.register.username')}
        autoComplete="username"
        autoCapitalize="none"
        maxLength={LONGEST_USERNAME}
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label={t('common.password')}
        placeholder={t('common.passwordHint')}
        {...form.getInputProps('password')}
      />
      <PasswordInput label={t('common.confirmPassword')} {...form.getInputProps('password2')} />
      <PasswordRules password={password} again={password2} />
      <CapsLockHint />
      {asksEmail && (
        <>
          <TextInput
            type="email"
            label={t('part.identity.email')}
            description={domains.length > 0 && t('signIn.register.domains', { domains })}
            autoComplete="email"
            {...form.getInputProps('email')}
          />
          <EmailCode
            email={form.values.email}
            captcha={captcha}
            {...form.getInputProps('verification_code')}
          />
        </>
      )}
    </EntryForm>
  );
}
