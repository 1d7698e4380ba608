/** Headers that contain an API key. */
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { isHeaderText } from '../../domain/text/header-text.ts';
import type { ProviderRow } from '../rows/provider-row.ts';
import type { HeaderLines } from '../transports/transport.ts';

/** The headers with the key; none for an empty key if the provider does not require one. */
export function authHeaders(provider: ProviderRow, key: string): HeaderLines {
  if (key === '' && provider.keyOptional) return {};
  const { auth, keyPartHeader } = provider;
  const [own, part] = keyParts(provider, key);
  const value = headerValue('key', own);
  const beside = keyPartHeader && part ? { [keyPartHeader]: headerValue('key', part) } : {};
  if (auth === 'bearer') return { authorization: `Bearer ${value}`, ...beside };
  return { [auth]: value, ...beside };
}

function keyParts({ keyPartHeader }: ProviderRow, key: string): readonly [string, string] {
  const bar = keyPartHeader === undefined ? -1 : key.indexOf('|');
  return bar === -1 ? [key, ''] : [key.slice(0, bar), key.slice(bar + 1)];
}

/** @throws AppError channel_unusable */
export function headerValue(field: string, value: string): string {
  if (value !== '' && isHeaderText(value)) return value;
  throw unusableChannel(value === '' ? 'value_missing' : 'value_not_header', { name: field });
}
