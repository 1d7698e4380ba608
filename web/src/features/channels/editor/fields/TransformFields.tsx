import { Button, NumberInput, Textarea } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../../components/display/Notice.tsx';
import { JsonEditor } from '../../../../components/forms/JsonEditor.tsx';
import { unservedAliases } from '../aliases.ts';
import type { FieldsProps } from './fields-props.ts';
import { MAPPING_TEMPLATE, OVERRIDE_TEMPLATE, STATUS_TEMPLATE } from './json-templates.ts';
import { SettingFields } from './SettingFields.tsx';

const JSON_FIELDS = [
  { field: 'model_mapping', word: 'modelMapping', template: MAPPING_TEMPLATE },
  {
    field: 'status_code_mapping',
    word: 'statusMapping',
    template: STATUS_TEMPLATE,
  },
  { field: 'param_override', word: 'paramOverride', template: OVERRIDE_TEMPLATE },
] as const;

export function TransformFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      {JSON_FIELDS.map(({ field, word, template }) => (
        <Fragment key={field}>
          <JsonEditor
            label={t(`channel.field.${word}`)}
            description={t(`channel.field.${word}Hint`)}
            rows={4}
            template={template}
            hasTable
            value={form.values[field]}
            onChange={(text) => form.setFieldValue(field, text)}
            error={form.errors[field]}
          />
          {field === 'model_mapping' && <UnservedAliases form={form} />}
        </Fragment>
      ))}
      <SettingFields form={form} />
      <Textarea
        label={t('channel.field.systemPrompt')}
        description={t('channel.field.systemPromptHint')}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('system_prompt')}
      />
      <NumberInput
        label={t('channel.field.maxInput')}
        description={t('channel.field.maxInputHint')}
        allowDecimal={false}
        {...form.getInputProps('max_input_tokens')}
      />
    </>
  );
}

/** Warns about mapped names the channel does not offer: no call can use them. */
function UnservedAliases({ form }: Pick<FieldsProps, 'form'>) {
  const { t } = useTranslation();
  const { models } = form.values;
  const names = unservedAliases(form.values);
  if (names.length === 0) return null;
  return (
    <Notice
      tone="yellow"
      title={t('channel.aliases.title')}
      action={
        <Button
          size="xs"
          variant="default"
          onClick={() => form.setFieldValue('models', [...models, ...names])}
        >
          {t('channel.aliases.add')}
        </Button>
      }
    >
      {t('channel.aliases.text', { names: names.join(', ') })}
    </Notice>
  );
}
