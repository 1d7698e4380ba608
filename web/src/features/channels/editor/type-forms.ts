/** What the editor asks of a channel type besides the usual: all of it is told by the gateway. */
import type { TFunction } from 'i18next';
import i18next from 'i18next';
import type { AddressForm } from '../../../../../src/domain/channels/channel-form.ts';
import {
  CHANNEL_TYPE_LIST,
  type ChannelKind,
} from '../../../../../src/domain/channels/channel-types.ts';
import type { TypeFacts } from './useChannelTypes.ts';

/** What stands as an example where the gateway knows no usual address. */
export const ADDRESS_EXAMPLES: Record<AddressForm, string> = {
  usual: 'https://api.example.com',
  own: 'http://10.0.0.5:8000',
  regional: '',
  resource: 'https://my-resource.openai.azure.com',
  full: 'https://api.example.com/v1/chat/completions?model={model}',
  private: 'https://fastgpt.example.com/api',
  beforeSuno: 'https://suno.example.com',
};

/** Every type of a kind, by name. */
export function typesOfKind(
  kind: ChannelKind,
): readonly { readonly type: number; readonly name: string }[] {
  return CHANNEL_TYPE_LIST.filter((row) => row.kind === kind).toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  );
}

/** Whether people who type this mean the type: by its name, its slug or any other word for it. */
export function isMeantBy(type: number, typed: string): boolean {
  const word = typed.trim().toLowerCase();
  const row = CHANNEL_TYPE_LIST.find((one) => one.type === type);
  if (row === undefined) return String(type).includes(word);
  return [row.name.toLowerCase(), row.slug, ...(row.aliases ?? [])].some((own) =>
    own.includes(word),
  );
}

/** What to know of a type before a channel of it is made: forms of keys, what a model is. */
export function noteOf(t: TFunction, facts: TypeFacts | undefined): string | undefined {
  const key = `channel.note.${facts?.slug ?? ''}`;
  // Checked to exist: the types that have none are the plain ones.
  return i18next.exists(key) ? t(key as 'channel.note.azure') : undefined;
}
