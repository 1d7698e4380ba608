import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import { Notice } from '../../../components/display/Notice.tsx';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { fieldOf } from '../../../components/forms/field-of.ts';
import { JsonEditor } from '../../../components/forms/JsonEditor.tsx';
import { isJsonObject } from '../../../components/forms/json-problems.ts';
import { toast } from '../../../components/layout/toasts.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { channelTags } from '../calls.ts';
import { GroupsInput } from '../editor/fields/GroupsInput.tsx';
import { MAPPING_TEMPLATE } from '../editor/fields/json-templates.ts';
import { ChannelModelsInput } from '../editor/fields/ModelsInput.tsx';
import type { TagRow } from '../list/channel-rows.ts';
import { type TagValues, tagChanges, tagValuesOf } from './tag-edit.ts';

interface TagDrawerProps {
  /** undefined is closed. */
  readonly row: TagRow | undefined;
  readonly onClose: () => void;
}

/** Edits all channels of a tag at once. */
export function TagDrawer({ row, onClose }: TagDrawerProps) {
  if (row === undefined) return null;
  return <TagForm key={row.tag} row={row} onClose={onClose} />;
}

function TagForm({ row, onClose }: { readonly row: TagRow; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { tag, channels } = row;
  const before = tagValuesOf(tag, channels);
  const form = useForm({
    initialValues: before,
    validate: {
      model_mapping: (text) =>
        isJsonObject(text)
          ? null
          : t('channel.check.json', { field: t('channel.field.model_mapping') }),
    },
  });
  const save = async (values: TagValues) => {
    const changes = tagChanges(values, before);
    return changes && channelTags.edit({ tag, ...changes });
  };
  return (
    <FormDrawer
      isOpen
      staysOpen
      onClose={onClose}
      title={t('channel.tag.editTitle', { tag })}
      form={form}
      onSubmit={save}
      touches={[channelKeys]}
      onDone={(reply) => {
        if (reply === undefined) return toast.info(t('channel.tag.noChanges'));
        for (const { message } of reply.warnings ?? []) toast.info(message);
        toast.success(t('channel.done.tagChanged', { count: reply.count }));
        onClose();
      }}
    >
      <Notice tone="blue">{t('channel.tag.editHint', { count: channels.length })}</Notice>
      <TextInput
        label={t('channel.tag.newName')}
        maxLength={CHANNEL.tag.most}
        {...form.getInputProps('new_tag')}
      />
      <ChannelModelsInput {...fieldOf(form, 'models')} />
      <GroupsInput {...fieldOf(form, 'groups')} />
      <JsonEditor
        label={t('channel.field.model_mapping')}
        description={t('channel.hint.model_mapping')}
        hasTable
        template={MAPPING_TEMPLATE}
        {...fieldOf(form, 'model_mapping')}
      />
    </FormDrawer>
  );
}
