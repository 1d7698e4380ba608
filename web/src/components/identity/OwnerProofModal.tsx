import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { ApiError, client } from '../../lib/api/api.ts';
import { FormDialog } from '../forms/FormDialog.tsx';

const account = client({ confirm: accountCalls.confirm });

interface OwnerModalProps {
  readonly answer: (isConfirmed: boolean) => void;
}

export function OwnerProofModal({ answer }: OwnerModalProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (typed) => (typed === '' ? t('part.owner.needed') : null) },
  });
  const confirm = async (values: { readonly password: string }) => {
    try {
      await account.confirm(values);
    } catch (error) {
      if (!(error instanceof ApiError) || error.param !== 'password') throw error;
      form.setFieldError('password', t('part.owner.wrong'));
      throw new DOMException('shown at its field', 'AbortError');
    }
  };
  return (
    <FormDialog
      onClose={() => answer(false)}
      title={t('part.owner.title')}
      size={420}
      zIndex={400}
      form={form}
      onSubmit={confirm}
      onDone={() => answer(true)}
      verb={t('part.owner.verb')}
    >
      <Text>{t('part.owner.hint')}</Text>
      <PasswordInput
        label={t('part.owner.password')}
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}
