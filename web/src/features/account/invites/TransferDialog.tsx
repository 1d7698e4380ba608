import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { quotaText } from '../../../../../src/domain/pricing/quota-text.ts';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { QuotaInput } from '../../../components/forms/QuotaInput.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { useQuotaStyle, useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { account, selfKeys } from '../calls.ts';

interface TransferDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Units. */
  readonly available: number;
}

/** Transfers invitation rewards to the balance, at least one whole unit at a time. */
export function TransferDialog({ isOpen, onClose, available }: TransferDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('account.invite.transfer')}
      size={420}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <TransferForm onClose={onClose} available={available} />
    </Modal>
  );
}

function TransferForm({ onClose, available }: Omit<TransferDialogProps, 'isOpen'>) {
  const { t } = useTranslation();
  const text = useQuotaText();
  const { quotaPerUnit } = useQuotaStyle();
  const least = Math.ceil(quotaPerUnit);
  const form = useForm({
    initialValues: { quota: least },
    validate: {
      quota: (units) => {
        if (units < least)
          return t('account.invite.tooLittle', {
            amount: quotaText(least, { currency: true, quotaPerUnit }),
          });
        return units > available ? t('account.invite.tooMuch') : null;
      },
    },
  });
  const transfer = useAction((quota: number) => account.transferAff({ quota }), {
    touches: [selfKeys],
    done: () => t('account.invite.moved'),
    onDone: onClose,
    isQuiet: true,
  });
  const submission = useSubmit(form, ({ quota }) => transfer.mutateAsync(quota));
  return (
    <Form onSubmit={submission.submit}>
      <Stack gap="md">
        <ProblemNotice problem={submission.problem} />
        <Group justify="space-between">
          <Text size="sm">{t('account.invite.available', { amount: text(available) })}</Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => form.setFieldValue('quota', available)}
          >
            {t('account.invite.max')}
          </Button>
        </Group>
        <QuotaInput
          label={t('account.invite.amount')}
          data-autofocus
          value={form.getValues().quota}
          error={form.errors.quota}
          onChange={(units) => form.setFieldValue('quota', units)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={submission.isBusy}>
            {t('account.invite.transfer')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
