import { Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { useCaptcha } from '../../../components/identity/Captcha.tsx';
import { EmailCode } from '../../../components/identity/EmailCode.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { account } from '../../../lib/api/account.ts';
import { selfKeys } from '../../../lib/api/query-keys.ts';

interface EmailDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Links an email address by the code sent to it. */
export function EmailDialog({ isOpen, onClose }: EmailDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('account.bind.emailTitle')} size={460}>
      <EmailForm onClose={onClose} />
    </Modal>
  );
}

function EmailForm({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const captcha = useCaptcha();
  const form = useForm({
    initialValues: { email: '', code: '' },
    validate: {
      email: (email) => (email.trim() === '' ? t('account.bind.emailNeeded') : null),
      code: (code) => (code.trim() === '' ? t('part.code.needed') : null),
    },
  });
  const bind = useAction(
    ({ email, code }: { email: string; code: string }) =>
      account.bindEmail({ email: email.trim(), code: code.trim() }),
    {
      touches: [selfKeys],
      done: () => t('account.bind.done'),
      onDone: onClose,
      isQuiet: true,
    },
  );
  const submission = useSubmit(form, (values) => bind.mutateAsync(values));
  return (
    <Form onSubmit={submission.submit}>
      <Stack gap="sm">
        <ProblemNotice problem={submission.problem} />
        <TextInput
          {...form.getInputProps('email')}
          type="email"
          label={t('account.bind.email')}
          autoComplete="email"
          data-autofocus
        />
        <EmailCode
          {...form.getInputProps('code')}
          email={form.getValues().email}
          captcha={captcha}
        />
        {captcha.widget}
        <DialogFooter onClose={onClose} verb={t('account.bind.bind')} loading={submission.isBusy} />
      </Stack>
    </Form>
  );
}
