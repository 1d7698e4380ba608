import { Select, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { VERTEX } from '../../../../../../src/domain/channels/cloud-keys.ts';
import { JsonEditor } from '../../../../components/forms/JsonEditor.tsx';
import { ADDRESS_EXAMPLES } from '../type-forms.ts';
import { type TypeFacts, useChannelTypes } from '../useChannelTypes.ts';
import { PlainFields } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';
import { REGION_TEMPLATE } from './json-templates.ts';
import { KeyField } from './KeyField.tsx';

const OPENAI = 1;

export function ConnectionFields(props: FieldsProps) {
  const { t } = useTranslation();
  const { form } = props;
  const { type } = form.values;
  const facts = useChannelTypes().get(type);
  const address = facts?.address.form ?? 'usual';
  const usual = facts?.base_url ?? '';
  return (
    <>
      <TextInput
        required={facts?.address.needed ?? false}
        type="url"
        label={t(`channel.url.${address}`)}
        description={t(`channel.url.${address}Hint`)}
        placeholder={usual === '' ? ADDRESS_EXAMPLES[address] : usual}
        autoComplete="off"
        {...form.getInputProps('base_url')}
      />
      <KeyField {...props} />
      {facts?.other_field && <OtherField form={form} field={facts.other_field} />}
      {type === OPENAI && (
        <TextInput
          label={t('channel.field.openai_organization')}
          placeholder="org-..."
          autoComplete="off"
          {...form.getInputProps('openai_organization')}
        />
      )}
      <PlainFields form={form} section="connection" />
    </>
  );
}

interface OtherFieldProps {
  readonly form: FieldsProps['form'];
  readonly field: NonNullable<TypeFacts['other_field']>;
}

function OtherField({ form, field }: OtherFieldProps) {
  const { t } = useTranslation();
  const { type, other } = form.values;
  const words = {
    label: t(`channel.other.${field.is}`),
    description: t(`channel.other.${field.is}Hint`),
  };
  if (type === VERTEX && other.trim().startsWith('{')) {
    return (
      <JsonEditor
        {...words}
        hasTable
        rows={4}
        template={REGION_TEMPLATE}
        value={other}
        onChange={(text) => form.setFieldValue('other', text)}
        error={form.errors.other}
      />
    );
  }
  const input = {
    ...words,
    required: field.needed,
    placeholder: field.example,
    autoComplete: 'off',
    ...form.getInputProps('other'),
  };
  if (field.choices.length > 0) {
    // Imported data may hold a value that is not among the choices: list it too.
    const words = [...new Set(['', ...field.choices, other])];
    const data = words.map((word) => ({ value: word, label: word || t('channel.other.usual') }));
    return <Select {...input} data={data} />;
  }
  return type === VERTEX ? <Textarea autosize={false} {...input} /> : <TextInput {...input} />;
}
