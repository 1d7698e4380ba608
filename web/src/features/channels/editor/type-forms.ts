/** Type-specific parts of the editor, as described by the gateway. */
import i18next, { type TFunction } from 'i18next';
import type { AddressForm } from '../../../../../src/domain/channels/channel-form.ts';
import {
  CHANNEL_TYPE_LIST,
  type ChannelKind,
} from '../../../../../src/domain/channels/channel-types.ts';
import type { TypeFacts } from './useChannelTypes.ts';

/** Placeholder where the gateway knows no default address. */
export const ADDRESS_EXAMPLES: Record<AddressForm, string> = {
  usual: 'https://api.example.com',
  own: 'http://10.0.0.5:8000',
  regional: '',
  resource: 'https://my-resource.openai.azure.com',
  full: 'https://api.example.com/v1/chat/completions?model={model}',
  private: 'https://fastgpt.example.com/api',
  beforeSuno: 'https://suno.example.com',
};

export const TYPES_BY_NAME = CHANNEL_TYPE_LIST.toSorted((a, b) =>
  a.name.localeCompare(b.name, 'en'),
);

/** All types of a kind, by name. */
export function typesOfKind(
  kind: ChannelKind,
): readonly { readonly type: number; readonly name: string }[] {
  return TYPES_BY_NAME.filter((row) => row.kind === kind);
}

/** Whether the typed text matches the type's name, slug or an alias. */
export function isMeantBy(type: number, typed: string): boolean {
  const word = typed.trim().toLowerCase();
  const row = CHANNEL_TYPE_LIST.find((one) => one.type === type);
  if (row === undefined) return String(type).includes(word);
  return [row.name.toLowerCase(), row.slug, ...(row.aliases ?? [])].some((own) =>
    own.includes(word),
  );
}

/** Hints for a new channel of the type: key formats, the meaning of a model. */
export function typeHint(t: TFunction, facts: TypeFacts | undefined): string | undefined {
  const key = `channel.note.${facts?.slug ?? ''}`;
  // The key may not exist: simple types have no note.
  return i18next.exists(key) ? t(key as 'channel.note.azure') : undefined;
}
