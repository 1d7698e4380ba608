import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { useSetTag } from '../list/useChannelBulk.tsx';

interface DialogProps {
  readonly isOpen: boolean;
  readonly ids: readonly number[];
  readonly onClose: () => void;
}

/** Sets one tag on the selected channels. */
export function TagDialog({ isOpen, ids, onClose }: DialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('channel.bulk.tagTitle', { count: ids.length })}
    >
      {isOpen && <TagForm ids={ids} onClose={onClose} />}
    </Modal>
  );
}

function TagForm({ ids, onClose }: Omit<DialogProps, 'isOpen'>) {
  const { t } = useTranslation();
  const setTag = useSetTag();
  const form = useForm({
    initialValues: { tag: '' },
    validate: { tag: (tag) => (tag.trim() === '' ? t('channel.bulk.tagEmpty') : null) },
  });
  const submission = useSubmit(form, async ({ tag }) => {
    await setTag(ids, tag.trim());
    onClose();
  });
  const takeAway = useSubmit(useForm({ initialValues: {} }), async () => {
    await setTag(ids, '');
    onClose();
  });
  const problem = submission.problem ?? takeAway.problem;
  return (
    <Form onSubmit={submission.submit}>
      <Stack gap="md">
        <ProblemNotice problem={problem} />
        <TextInput
          data-autofocus
          required
          maxLength={CHANNEL.tag.most}
          label={t('channel.field.tag')}
          description={t('channel.bulk.tagHint')}
          {...form.getInputProps('tag')}
        />
        <DialogFooter onClose={onClose} verb={t('channel.bulk.tag')} loading={submission.isBusy}>
          <Button
            variant="default"
            mr="auto"
            loading={takeAway.isBusy}
            onClick={() => void takeAway.submit()}
          >
            {t('channel.bulk.untag')}
          </Button>
        </DialogFooter>
      </Stack>
    </Form>
  );
}
