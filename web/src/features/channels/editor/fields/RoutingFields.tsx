import { Autocomplete } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { columnsOfSection } from '../../../../../../src/domain/nouns/channel.ts';
import { fieldOf } from '../../../../components/forms/field-of.ts';
import { ColumnField, ShortFields } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';
import { GroupsInput } from './GroupsInput.tsx';

/** With a place of their own. */
const PLACED: ReadonlySet<string> = new Set(['group', 'test_model', 'auto_ban']);
const SHORT = columnsOfSection('routing').filter((column) => !PLACED.has(column));

export function RoutingFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <GroupsInput isRequired {...fieldOf(form, 'group')} />
      <ShortFields form={form} columns={SHORT} />
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
