import {
  type ComboboxParsedItem,
  Group,
  type OptionsFilter,
  Select,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_KINDS } from '../../../../../../src/domain/channels/channel-types.ts';
import { CHANNEL } from '../../../../../../src/domain/nouns/channel.ts';
import { Dimmed } from '../../../../components/display/Dimmed.tsx';
import { Notice } from '../../../../components/display/Notice.tsx';
import { channelTypeName } from '../../../../components/display/tag-lists.tsx';
import { toneOf } from '../../../../components/display/tones.ts';
import classes from '../ChannelEditor.module.css';
import { typeNote, typesMeantBy, typesOfKind } from '../type-forms.ts';
import { useChannelTypes } from '../useChannelTypes.ts';
import { PlainFields } from './ColumnField.tsx';
import type { FieldsProps } from './fields-props.ts';

export function BasicsFields({ form, channel }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TypeSelect form={form} channel={channel} />
      <TextInput
        required
        label={t('channel.field.name')}
        data-autofocus={channel === undefined || undefined}
        maxLength={CHANNEL.name.most}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <Switch
        label={t('channel.field.enabled')}
        {...form.getInputProps('isEnabled', { type: 'checkbox' })}
      />
      <PlainFields form={form} section="basics" />
    </>
  );
}

/**
 * A new type sets its fixed models; changing the type removes the previous type's fixed models and
 * clears `other` if its meaning changes.
 */
function TypeSelect({ form, channel }: FieldsProps) {
  const { t } = useTranslation();
  const types = useChannelTypes();
  const { type } = form.values;
  const data = useMemo(
    () =>
      CHANNEL_KINDS.map((kind) => ({
        group: t(`channel.kind.${kind}`),
        items: typesOfKind(kind).map((row) => ({ value: String(row.type), label: row.name })),
      })),
    [t],
  );
  const known = channelTypeName(type) !== undefined;
  const all = known
    ? data
    : [...data, { group: '', items: [{ value: String(type), label: t('part.type', { type }) }] }];
  const choose = (next: number) => {
    const wasFixed = types.get(type)?.fixed_models ?? false;
    const facts = types.get(next);
    if (facts?.fixed_models) form.setFieldValue('models', facts.models);
    else if (wasFixed) form.setFieldValue('models', []);
    if (types.get(type)?.other_field?.is !== facts?.other_field?.is)
      form.setFieldValue('other', next === channel?.type ? channel.other : '');
    form.setFieldValue('type', next);
  };
  const note = typeNote(t, types.get(type)?.slug ?? '');
  return (
    <>
      <Select
        label={t('channel.field.type')}
        searchable
        maxDropdownHeight={320}
        filter={typeFilter(t)}
        data={all}
        value={String(type)}
        onChange={(value) => value !== null && choose(Number(value))}
        leftSection={<TypeIcon type={type} />}
        renderOption={({ option }) => (
          <Group wrap="nowrap" flex={1}>
            <TypeIcon type={Number(option.value)} />
            <Text>{option.label}</Text>
            {types.get(Number(option.value))?.supported === false && (
              <Dimmed ml="auto">{t('channel.type.later')}</Dimmed>
            )}
          </Group>
        )}
        error={form.errors.type}
      />
      {types.get(type)?.supported === false && (
        <Notice tone="yellow">{t('channel.type.laterHint')}</Notice>
      )}
      {note !== undefined && <Notice tone="blue">{note}</Notice>}
    </>
  );
}

function typeFilter(t: TFunction): OptionsFilter {
  return ({ options, search }) => {
    const all = options.flatMap((option) => ('items' in option ? option.items : [option]));
    const types = all.map(({ value }) => Number(value));
    const meant = typesMeantBy(types, search, (slug) => typeNote(t, slug) ?? '');
    return options.flatMap((option): ComboboxParsedItem[] => {
      if (!('items' in option)) return meant.has(Number(option.value)) ? [option] : [];
      const items = option.items.filter(({ value }) => meant.has(Number(value)));
      return items.length > 0 ? [{ ...option, items }] : [];
    });
  };
}

/** The type's first letter on a coloured background: no vendor logos are shipped. */
function TypeIcon({ type }: { readonly type: number }) {
  const name = channelTypeName(type) ?? '?';
  const tone = toneOf(name);
  return (
    <span
      aria-hidden
      className={classes.icon}
      style={{ background: `var(--tone-${tone}-tint)`, color: `var(--tone-${tone}-text)` }}
    >
      {name.slice(0, 1)}
    </span>
  );
}
