import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { FormDialog } from '../../../components/forms/FormDialog.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSetTag } from '../list/useChannelBulk.tsx';

interface TagDialogProps {
  readonly ids: readonly number[];
  readonly onClose: () => void;
}

/** Sets one tag on the selected channels. */
export function TagDialog({ ids, onClose }: TagDialogProps) {
  const { t } = useTranslation();
  const setTag = useSetTag();
  const form = useForm({
    initialValues: { tag: '' },
    validate: { tag: (tag) => (tag.trim() === '' ? t('channel.bulk.tagEmpty') : null) },
  });
  const takeAway = useAction(() => setTag(ids, ''), { onDone: onClose });
  return (
    <FormDialog
      onClose={onClose}
      title={t('channel.bulk.tagTitle', { count: ids.length })}
      form={form}
      onSubmit={({ tag }) => setTag(ids, tag.trim())}
      verb={t('channel.bulk.tag')}
      extra={
        <SideButton
          mr="auto"
          loading={takeAway.isPending}
          label={t('channel.bulk.untag')}
          onClick={() => takeAway.mutate(undefined)}
        />
      }
    >
      <TextInput
        data-autofocus
        required
        maxLength={CHANNEL.tag.most}
        label={t('channel.field.tag')}
        description={t('channel.bulk.tagHint')}
        {...form.getInputProps('tag')}
      />
    </FormDialog>
  );
}
