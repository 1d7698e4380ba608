import { NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { columnsOfSection } from '../../../../../../src/domain/nouns/channel.ts';
import { Notice } from '../../../../components/display/Notice.tsx';
import { SideButton } from '../../../../components/display/SideButton.tsx';
import { unservedAliases } from '../request-preview.ts';
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
import { ColumnField } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';

export function TransformFields({ form }: FieldsProps) {
  return columnsOfSection('transform').map((column) => (
    <Fragment key={column}>
      {column === 'setting' && <SettingFields form={form} />}
      <ColumnField form={form} column={column} />
      {column === 'model_mapping' && <UnservedAliases form={form} />}
    </Fragment>
  ));
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
        <SideButton
          size="xs"
          label={t('channel.aliases.add')}
          onClick={() => form.setFieldValue('models', [...models, ...names])}
        />
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

/** Fields for the common settings; the JSON below holds all of them. */
function SettingFields({ form }: Pick<FieldsProps, 'form'>) {
  const { t } = useTranslation();
  const { setting } = form.values;
  const members = readMembers(setting);
  const write = (name: string, value: unknown) =>
    members && form.setFieldValue('setting', withMember(members, name, value));
  return (
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
  );
}

function countOf(value: unknown): number | '' {
  return typeof value === 'number' ? value : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
