/** Maps the provider numbers of the one-api family to this gateway's channel types. */
import { channelTypeOf } from '../channels/channel-types.ts';
import type { SourceFamily } from './family.ts';

export interface ImportedChannelType {
  readonly type: number;
  /** The upstream address to use when the channel's own is empty and our type's default differs. */
  readonly baseUrl?: string;
}

/** Types up to 25, and 31 and 33, mean the same everywhere, except those in this table. */
const ONE_API: Readonly<Record<number, ImportedChannelType | undefined>> = {
  2: { type: 1, baseUrl: 'https://oa.api2d.net' },
  4: { type: 1, baseUrl: 'https://api.closeai-proxy.xyz' },
  5: { type: 1, baseUrl: 'https://api.openai-sb.com' },
  // In one-api a custom channel has a base address; here it has the full one.
  8: { type: 1 },
  26: { type: 1010 },
  27: { type: 35 },
  28: { type: 42 },
  29: { type: 1001 },
  30: { type: 4 },
  32: { type: 1009 },
  34: { type: 1013 },
  35: { type: 34 },
  36: { type: 43 },
  37: { type: 39 },
  38: undefined,
  39: { type: 1002 },
  40: { type: 45 },
  41: { type: 1006 },
  42: { type: 41 },
  43: undefined,
  44: { type: 40 },
  45: { type: 48 },
  46: { type: 1023 },
  47: { type: 46 },
  48: { type: 1, baseUrl: 'https://spark-api-open.xf-yun.com' },
  49: { type: 17 },
  50: { type: 1 },
  51: { type: 24 },
};

const NEW_API: Readonly<Record<number, ImportedChannelType | undefined>> = {
  49: { type: 1013 },
  50: { type: 1024 },
  53: { type: 1, baseUrl: 'https://llm.submodel.ai' },
  56: { type: 1023 },
};

/** Numbers from here on are specific to this gateway. */
const FIRST_OWN = 1000;

const TABLES: Readonly<
  Record<SourceFamily, Readonly<Record<number, ImportedChannelType | undefined>>>
> = {
  'one-api': ONE_API,
  'new-api': NEW_API,
  veloera: {},
};

/**
 * Undefined for a provider that is not supported here. Such a channel is skipped, because under any
 * other type its key would be sent to a third party.
 */
export function importedChannelType(
  family: SourceFamily,
  type: number,
): ImportedChannelType | undefined {
  const table = TABLES[family];
  if (type in table) return table[type];
  const isShared = type < FIRST_OWN && channelTypeOf(type) !== undefined;
  return isShared ? { type } : undefined;
}
