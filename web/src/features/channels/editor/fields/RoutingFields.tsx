import { Autocomplete } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldOf } from '../../../../components/forms/field-of.ts';
import { ColumnField, PlainFields } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';
import { GroupsInput } from './GroupsInput.tsx';

export function RoutingFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <GroupsInput isRequired {...fieldOf(form, 'group')} />
      <PlainFields form={form} section="routing" />
      <Autocomplete
        label={t('channel.field.test_model')}
        description={t('channel.hint.test_model')}
        placeholder={form.values.models[0] ?? ''}
        data={[...form.values.models]}
        limit={30}
        {...form.getInputProps('test_model')}
      />
      <ColumnField form={form} column="auto_ban" />
    </>
  );
}
