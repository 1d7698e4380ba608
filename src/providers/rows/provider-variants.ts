/** A provider's row for one channel, or for clients that its Messages endpoint can serve. */
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import type { ProviderRow } from './provider-row.ts';

export interface VariantKey {
  /** The channel's first key; '' if it has none. */
  readonly key: string;
  readonly other: string;
}

/** Returns the same row if no variant matches. */
export function variantOf(row: ProviderRow, { key, other }: VariantKey): ProviderRow {
  const variant = row.variants?.find(
    (one) => (one.key?.test(key) ?? true) && (one.other?.test(other) ?? true),
  );
  return variant === undefined ? row : { ...row, ...variant.row };
}

/** `baseUrl`: the channel's; `ownPath`: from the channel's settings, '' for "none". */
export interface MessagesChannel {
  readonly baseUrl: string;
  readonly ownPath: string | undefined;
}

const ANTHROPIC_VERSION = '2023-06-01';

/**
 * The row with which clients of Anthropic's Messages are forwarded; undefined if they must be
 * translated. Another server of the same type may lack the path, so it is used only for known hosts
 * or if the channel sets it.
 */
export function messagesRow(
  row: ProviderRow,
  { baseUrl, ownPath }: MessagesChannel,
): ProviderRow | undefined {
  if (row.family !== 'openai' || !row.supported) return undefined;
  const path = ownPath ?? (isKnown(row, baseUrl) ? row.messages?.path : undefined);
  if (path === undefined || path === '') return undefined;
  return {
    ...row,
    family: 'claude',
    transport: 'origin',
    paths: { chat: path },
    headers: { ...row.headers, 'anthropic-version': ANTHROPIC_VERSION },
    streamUsage: 'always',
  };
}

function isKnown(row: ProviderRow, baseUrl: string): boolean {
  if (baseUrl === '') return true;
  const host = hostIn(baseUrl);
  return host !== '' && [hostIn(row.baseUrl), ...(row.messages?.hosts ?? [])].includes(host);
}

function hostIn(url: string): string {
  return parsedUrl(url)?.host ?? '';
}
