/** The row of a provider as it holds for one channel, and for clients that another of its doors suits better. */
import { parsedUrl } from '../domain/addresses/parsed-url.ts';
import type { ProviderRow } from './row.ts';

export interface VariantKey {
  /** The first of the channel's keys; '' when it has none. */
  readonly key: string;
  readonly other: string;
}

/** The same row where no variant fits. */
export function variantOf(row: ProviderRow, { key, other }: VariantKey): ProviderRow {
  const variant = row.variants?.find(
    (one) => (one.key?.test(key) ?? true) && (one.other?.test(other) ?? true),
  );
  return variant === undefined ? row : { ...row, ...variant.row };
}

/** `baseUrl`: the channel's; `ownPath`: what the channel's settings say, '' for "none". */
export interface TwinQuestion {
  readonly baseUrl: string;
  readonly ownPath: string | undefined;
}

const ANTHROPIC_VERSION = '2023-06-01';

/**
 * The row by which clients of Anthropic's Messages are forwarded; undefined where they must be
 * translated. Another server under the same type may lack the path, so only known addresses are asked
 * by it, unless the channel names one itself.
 */
export function messagesTwin(
  row: ProviderRow,
  { baseUrl, ownPath }: TwinQuestion,
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
