import { NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from '../../../../components/forms/JsonEditor.tsx';
import {
  isOn,
  readSetting,
  SETTING_COUNTS,
  SETTING_SWITCHES,
  SETTING_TEXTS,
  type SettingSwitch,
  type SettingText,
  withMember,
} from '../setting-edit.ts';
import type { FieldsProps } from './fields-props.ts';
import { SETTING_TEMPLATE } from './json-templates.ts';

const SWITCHES = Object.keys(SETTING_SWITCHES) as SettingSwitch[]; // the keys of a constant table

const EXAMPLES: Record<SettingText, string> = {
  proxy: 'socks5://user:password@127.0.0.1:1080',
  messages_path: '/v1/messages',
};

/** The channel's settings: fields for the common ones, and the JSON that holds all of them. */
export function SettingFields({ form }: Pick<FieldsProps, 'form'>) {
  const { t } = useTranslation();
  const { setting } = form.values;
  const members = readSetting(setting);
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
