import { Autocomplete, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FieldsProps } from './fields-props.ts';
import { GroupsInput } from './GroupsInput.tsx';

export function RoutingFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <GroupsInput
        isRequired
        value={form.values.group}
        onChange={(group) => form.setFieldValue('group', group)}
        error={form.errors.group}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NumberInput
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
        <TextInput
          label={t('channel.field.tag')}
          description={t('channel.field.tagHint')}
          maxLength={64}
          {...form.getInputProps('tag')}
        />
        <TextInput
          label={t('channel.field.prefix')}
          description={t('channel.field.prefixHint')}
          maxLength={64}
          {...form.getInputProps('model_prefix')}
        />
      </SimpleGrid>
      <Autocomplete
        label={t('channel.field.testModel')}
        description={t('channel.field.testModelHint')}
        placeholder={form.values.models[0] ?? ''}
        data={[...form.values.models]}
        limit={30}
        {...form.getInputProps('test_model')}
      />
      <Switch
        label={t('channel.field.autoBan')}
        description={t('channel.field.autoBanHint')}
        {...form.getInputProps('auto_ban', { type: 'checkbox' })}
      />
    </>
  );
}
