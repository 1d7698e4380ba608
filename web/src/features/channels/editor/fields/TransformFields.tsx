import { Button, NumberInput, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../../components/display/Notice.tsx';
import { JsonEditor } from '../../../../components/forms/JsonEditor.tsx';
import { unservedAliases } from '../aliases.ts';
import {
  isOn,
  readMembers,
  SETTING_COUNTS,
  SETTING_SWITCHES,
  SETTING_TEXTS,
  type SettingSwitch,
  type SettingText,
  withMember,
} from '../setting-edit.ts';
import type { FieldsProps } from './fields-props.ts';
import {
  MAPPING_TEMPLATE,
  OVERRIDE_TEMPLATE,
  SETTING_TEMPLATE,
  STATUS_TEMPLATE,
} from './json-templates.ts';

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
      {t('channel.aliases.text', { names })}
    </Notice>
  );
}

const SWITCHES = Object.keys(SETTING_SWITCHES) as SettingSwitch[]; // the keys of a constant table

const EXAMPLES: Record<SettingText, string> = {
  proxy: 'socks5://user:password@127.0.0.1:1080',
  messages_path: '/v1/messages',
};

/** The channel's settings: fields for the common ones, and the JSON that holds all of them. */
function SettingFields({ form }: Pick<FieldsProps, 'form'>) {
  const { t } = useTranslation();
  const { setting } = form.values;
  const members = readMembers(setting);
  const write = (name: string, value: unknown) =>
    members && form.setFieldValue('setting', withMember(members, name, value));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {SETTING_TEXTS.map((name) => (
          <TextInput
            key={name}
            label={t(`channel.setting.${name}`)}
            description={t(`channel.setting.${name}Hint`)}
            placeholder={EXAMPLES[name]}
            autoComplete="off"
            disabled={members === undefined}
            value={textOf(members?.[name])}
            onChange={(event) => write(name, event.currentTarget.value.trim() || undefined)}
          />
        ))}
        {SETTING_COUNTS.map((name) => (
          <NumberInput
            key={name}
            label={t(`channel.setting.${name}`)}
            description={t(`channel.setting.${name}Hint`)}
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            disabled={members === undefined}
            value={countOf(members?.[name])}
            onChange={(typed) => write(name, typed === '' ? undefined : Number(typed))}
          />
        ))}
        {SWITCHES.map((name) => (
          <Switch
            key={name}
            label={t(`channel.setting.${name}`)}
            description={t(`channel.setting.${name}Hint`)}
            disabled={members === undefined}
            checked={members !== undefined && isOn(members, name)}
            onChange={(event) =>
              write(name, event.currentTarget.checked ? SETTING_SWITCHES[name] : undefined)
            }
          />
        ))}
      </SimpleGrid>
      <JsonEditor
        label={t('channel.field.setting')}
        description={t('channel.field.settingHint')}
        rows={4}
        template={SETTING_TEMPLATE}
        value={setting}
        onChange={(text) => form.setFieldValue('setting', text)}
        error={form.errors.setting}
      />
    </>
  );
}

function countOf(value: unknown): number | '' {
  return typeof value === 'number' ? value : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
