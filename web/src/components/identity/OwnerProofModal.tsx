import { PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { ApiError, client } from '../../lib/api/api.ts';
import { Form, ProblemNotice } from '../forms/Form.tsx';
import { DialogFooter } from '../layout/DialogFooter.tsx';
import { OpenModal } from '../layout/OpenModal.tsx';

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
  const submission = useSubmit(form, async (values) => {
    try {
      await account.confirm(values);
    } catch (error) {
      if (!(error instanceof ApiError) || error.param !== 'password') throw error;
      form.setFieldError('password', t('part.owner.wrong'));
      throw new DOMException('shown at its field', 'AbortError');
    }
    answer(true);
  });
  return (
    <OpenModal onClose={() => answer(false)} title={t('part.owner.title')} size={420} zIndex={400}>
      <Form onSubmit={submission.submit}>
        <Stack gap="md">
          <Text size="sm">{t('part.owner.hint')}</Text>
          <ProblemNotice problem={submission.problem} />
          <PasswordInput
            label={t('part.owner.password')}
            autoComplete="current-password"
            data-autofocus
            {...form.getInputProps('password')}
          />
          <DialogFooter
            onClose={() => answer(false)}
            verb={t('part.owner.verb')}
            loading={submission.isBusy}
          />
        </Stack>
      </Form>
    </OpenModal>
  );
}
