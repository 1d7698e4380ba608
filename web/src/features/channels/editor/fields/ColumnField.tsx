import { NumberInput, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  CHANNEL,
  type ChannelColumnName,
  type ChannelSection,
  columnsOfSection,
} from '../../../../../../src/domain/nouns/channel.ts';
import type { NounColumn } from '../../../../../../src/domain/nouns/columns.ts';
import { JsonEditor } from '../../../../components/forms/JsonEditor.tsx';
import type { FieldsProps } from './fields-props.ts';
import { TEMPLATES } from './json-templates.ts';

/** Columns whose field a section places itself. */
const PLACED = [
  'name',
  'type',
  'base_url',
  'openai_organization',
  'other',
  'models',
  'group',
  'test_model',
  'auto_ban',
  'cost',
] as const;

type PlainColumn = Exclude<ChannelColumnName, (typeof PLACED)[number]>;

const isPlain = (column: ChannelColumnName): column is PlainColumn =>
  !PLACED.some((placed) => placed === column);

interface ColumnFieldProps extends Pick<FieldsProps, 'form'> {
  readonly column: PlainColumn | 'auto_ban' | 'cost';
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

interface PlainFieldsProps extends Pick<FieldsProps, 'form'> {
  readonly section: ChannelSection;
}

/** The fields of all other columns of a section, two in a row where there is room. */
export function PlainFields({ form, section }: PlainFieldsProps) {
  const columns = columnsOfSection(section).filter(isPlain);
  if (columns.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      {columns.map((column) => (
        <ColumnField key={column} form={form} column={column} />
      ))}
    </SimpleGrid>
  );
}
