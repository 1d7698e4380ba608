import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../../components/forms/FormDialog.tsx';
import { useCaptcha } from '../../../components/identity/Captcha.tsx';
import { EmailCode } from '../../../components/identity/EmailCode.tsx';
import { account } from '../../../lib/api/account.ts';
import { selfKeys } from '../../../lib/api/query-keys.ts';

/** Links an email address by the code sent to it. */
export function EmailDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const captcha = useCaptcha();
  const form = useForm({
    initialValues: { email: '', code: '' },
    validate: {
      email: (email) => (email.trim() === '' ? t('account.bind.emailNeeded') : null),
      code: (code) => (code.trim() === '' ? t('part.code.needed') : null),
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('account.bind.emailTitle')}
      size={460}
      form={form}
      onSubmit={({ email, code }) => account.bindEmail({ email: email.trim(), code: code.trim() })}
      touches={[selfKeys]}
      done={() => t('account.bind.done')}
      verb={t('account.bind.bind')}
    >
      <TextInput
        {...form.getInputProps('email')}
        type="email"
        label={t('account.bind.email')}
        autoComplete="email"
        data-autofocus
      />
      <EmailCode {...form.getInputProps('code')} email={form.getValues().email} captcha={captcha} />
      {captcha.widget}
    </FormDialog>
  );
}
