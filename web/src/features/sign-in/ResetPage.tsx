import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { Notice } from '../../components/display/Notice.tsx';
import { useCaptcha } from '../../components/identity/Captcha.tsx';
import { useCodeWait } from '../../hooks/useCodeWait.ts';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { client } from '../../lib/api/api.ts';
import { EntryCard } from './EntryCard.tsx';
import { EntryForm } from './EntryForm.tsx';

const account = client({ requestReset: accountCalls.requestReset });

/** Requests a reset email. The response is the same whether or not the address is known. */
export function ResetPage() {
  const { t } = useTranslation();
  const captcha = useCaptcha();
  const { seconds, start } = useCodeWait();
  const [isSent, setSent] = useState(false);
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (value) => (value.trim() === '' ? t('signIn.required') : null) },
  });
  const submission = useSubmit(form, async ({ email }) => {
    setSent(false);
    try {
      await account.requestReset({ email: email.trim() }, captcha.options);
    } finally {
      captcha.renew();
    }
    start();
    setSent(true);
  });
  return (
    <EntryCard
      title={t('signIn.reset.title')}
      hint={t('signIn.reset.hint')}
      links={[{ to: '/login', text: t('signIn.toLogin') }]}
    >
      <EntryForm
        captcha={captcha}
        submission={submission}
        label={seconds > 0 ? t('part.code.resendIn', { seconds }) : t('signIn.reset.submit')}
        isDisabled={seconds > 0}
      >
        <div aria-live="polite">
          {isSent && <Notice tone="green">{t('signIn.reset.sent')}</Notice>}
        </div>
        <TextInput
          type="email"
          label={t('part.identity.email')}
          autoComplete="email"
          {...form.getInputProps('email')}
        />
      </EntryForm>
    </EntryCard>
  );
}
