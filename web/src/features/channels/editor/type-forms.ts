/** Type-specific parts of the editor, as described by the gateway. */
import i18next, { type TFunction } from 'i18next';
import type { AddressForm } from '../../../../../src/domain/channels/channel-form.ts';
import {
  CHANNEL_TYPE_LIST,
  type ChannelKind,
} from '../../../../../src/domain/channels/channel-types.ts';

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

/**
 * The types that the typed words mean: those with all words in name, slug or alias, or else those
 * whose note has the missing ones ("openai compatible").
 */
export function typesMeantBy(
  types: readonly number[],
  typed: string,
  noteOf: (slug: string) => string,
): ReadonlySet<number> {
  const words = typed.toLowerCase().split(/\s+/);
  const matching = (textOf: (type: number) => string) =>
    types.filter((type) => words.every((word) => textOf(type).toLowerCase().includes(word)));
  const byName = matching(namesOf);
  if (byName.length > 0) return new Set(byName);
  return new Set(matching((type) => `${namesOf(type)} ${noteOf(rowOf(type)?.slug ?? '')}`));
}

function namesOf(type: number): string {
  const row = rowOf(type);
  return row === undefined ? String(type) : [row.name, row.slug, ...(row.aliases ?? [])].join(' ');
}

function rowOf(type: number) {
  return CHANNEL_TYPE_LIST.find((row) => row.type === type);
}

/** Hints for a new channel of the type: key formats, the meaning of a model. */
export function typeNote(t: TFunction, slug: string): string | undefined {
  const key = `channel.note.${slug}`;
  // The key may not exist: simple types have no note.
  return i18next.exists(key) ? t(key as 'channel.note.azure') : undefined;
}
