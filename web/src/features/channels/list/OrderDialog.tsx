import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { channelBatch, channelKeys } from '../calls.ts';
import { isWhole, LOWEST_PRIORITY } from '../editor/channel-form.ts';

interface OrderDialogProps {
  readonly isOpen: boolean;
  readonly ids: readonly number[];
  readonly onClose: () => void;
}

/** Priority and weight of the selected channels; an empty field keeps the current value. */
export function OrderDialog({ isOpen, ids, onClose }: OrderDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('channel.bulk.orderTitle', { count: ids.length })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {isOpen && <OrderForm ids={ids} onClose={onClose} />}
    </Modal>
  );
}

type Typed = number | string;

function OrderForm({ ids, onClose }: Omit<OrderDialogProps, 'isOpen'>) {
  const { t } = useTranslation();
  const form = useForm<{ priority: Typed; weight: Typed }>({
    initialValues: { priority: '', weight: '' },
    validate: {
      priority: (value) =>
        value === '' || isWhole(value, LOWEST_PRIORITY) ? null : t('channel.check.priority'),
      weight: (value, { priority }) => {
        if (value === '') return priority === '' ? t('channel.bulk.orderEmpty') : null;
        return isWhole(value, 0) ? null : t('channel.check.weight');
      },
    },
  });
  const send = useAction(
    ({ priority, weight }: { priority: Typed; weight: Typed }) =>
      channelBatch.edit({
        ids: [...ids],
        ...(priority !== '' && { priority: Number(priority) }),
        ...(weight !== '' && { weight: Number(weight) }),
      }),
    {
      touches: [channelKeys],
      done: (count) => t('channel.done.changedMany', { count }),
      onDone: onClose,
      isQuiet: true,
    },
  );
  const { isBusy, problem, submit } = useSubmit(form, send.mutateAsync);
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <ProblemNotice problem={problem} />
        <NumberInput
          data-autofocus
          label={t('channel.field.priority')}
          description={t('channel.field.priorityHint')}
          allowDecimal={false}
          {...form.getInputProps('priority')}
        />
        <NumberInput
          label={t('channel.field.weight')}
          description={t('channel.field.weightHint')}
          allowDecimal={false}
          {...form.getInputProps('weight')}
        />
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t('channel.bulk.orderVerb', { count: ids.length })}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
