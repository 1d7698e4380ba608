/** Tags for a ratio, group, model, channel type or role. */
import { Group } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { CHANNEL_TYPES } from '../../../../src/domain/channels/channel-types.ts';
import { roleWord } from '../../../../src/domain/roles.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import { copyText } from './copy.tsx';
import { Tag } from './Tag.tsx';
import { ratioTone, type Tone, toneOf } from './tones.ts';

/** `1.25x`, up to four significant decimals. */
export function ratioText(ratio: number): string {
  return `${Number(ratio.toFixed(4))}x`;
}

export function RatioTag({ ratio }: { readonly ratio: number }) {
  return <Tag tone={ratioTone(ratio)}>{ratioText(ratio)}</Tag>;
}

/** Maximum length of a group name that is not shortened. */
const SHORT = 8;

/** A user or channel group; the empty name is the user's own group. */
export function GroupTag({ group, ratio }: { readonly group: string; readonly ratio?: number }) {
  const t = useCellText();
  if (group === '') return <Tag>{t('part.ownGroup')}</Tag>;
  const text = ratio === undefined ? group : `${group} · ${ratioText(ratio)}`;
  return (
    <Tag
      tone={group === 'default' ? 'grey' : toneOf(group)}
      title={text.length > SHORT ? text : undefined}
    >
      {text}
    </Tag>
  );
}

interface ModelTagProps {
  readonly model: string;
  /** The model sent to the upstream, if different. */
  readonly upstream?: string | undefined;
}

/** A model's name; a press copies it. */
export function ModelTag({ model, upstream }: ModelTagProps) {
  const t = useCellText();
  const isMapped = upstream !== undefined && upstream !== '' && upstream !== model;
  return (
    <Tag mono tone="blue" hint={t('part.copyOnPress')} onClick={() => void copyText(model)}>
      {isMapped ? (
        <Group component="span" gap={4} wrap="nowrap">
          {model}
          <IconArrowRight size={12} style={{ flex: 'none' }} aria-label={t('part.mappedTo')} />
          {upstream}
        </Group>
      ) : (
        model
      )}
    </Tag>
  );
}

/** A channel's type by its number; an unknown one reads "type 77". */
export function TypeTag({ type }: { readonly type: number }) {
  const t = useCellText();
  const name = channelTypeName(type);
  return (
    <Tag tone={name === undefined ? 'grey' : toneOf(name)}>{name ?? t('part.type', { type })}</Tag>
  );
}

export function channelTypeName(type: number): string | undefined {
  const types: Readonly<Record<number, { name: string }>> = CHANNEL_TYPES;
  return types[type]?.name;
}

const ROLE_TONES: Record<ReturnType<typeof roleWord>, Tone> = {
  guest: 'grey',
  user: 'grey',
  admin: 'blue',
  super_admin: 'violet',
  unknown: 'grey',
};

export function RoleTag({ role }: { readonly role: number }) {
  const t = useCellText();
  const word = roleWord(role);
  return <Tag tone={ROLE_TONES[word]}>{t(`role.${word}`)}</Tag>;
}
