import { NumberInput, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CHANNEL, type columnsOfSection } from '../../../../../../src/domain/nouns/channel.ts';
import type { NounColumn } from '../../../../../../src/domain/nouns/columns.ts';
import { JsonEditor } from '../../../../components/forms/JsonEditor.tsx';
import type { FieldsProps } from './fields-props.ts';
import { TEMPLATES } from './json-templates.ts';

/** The columns of sections whose fields follow from the table. */
export type PlainColumn = ReturnType<
  typeof columnsOfSection<'routing' | 'transform' | 'cost'>
>[number];

interface ColumnFieldProps extends Pick<FieldsProps, 'form'> {
  readonly column: PlainColumn;
}

/** Longer texts have several lines. */
const LONGEST_LINE = 1000;

/** The field of a column, by its kind. */
export function ColumnField({ form, column }: ColumnFieldProps) {
  const { t } = useTranslation();
  const { kind, most }: NounColumn = CHANNEL[column];
  const words = {
    label: t(`channel.field.${column}`),
    description: t(`channel.hint.${column}`),
  };
  if (kind === 'json')
    return (
      <JsonEditor
        {...words}
        rows={4}
        {...TEMPLATES[column]}
        value={String(form.values[column])}
        onChange={(text) => form.setFieldValue(column, text)}
        error={form.errors[column]}
      />
    );
  if (kind === 'switch')
    return <Switch {...words} {...form.getInputProps(column, { type: 'checkbox' })} />;
  const input = { ...words, ...form.getInputProps(column) };
  if (kind === 'number') return <NumberInput {...input} />;
  return most !== undefined && most > LONGEST_LINE ? (
    <Textarea {...input} minRows={2} maxRows={8} />
  ) : (
    <TextInput {...input} maxLength={most} />
  );
}

interface ShortFieldsProps extends Pick<FieldsProps, 'form'> {
  readonly columns: readonly PlainColumn[];
}

/** Two in a row where there is room. */
export function ShortFields({ form, columns }: ShortFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      {columns.map((column) => (
        <ColumnField key={column} form={form} column={column} />
      ))}
    </SimpleGrid>
  );
}
