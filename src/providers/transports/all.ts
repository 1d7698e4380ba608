/** All transports, by the names used in provider rows. */
import type { ProviderFamily, ProviderRow, TransportName } from '../rows/provider-row.ts';
import { AZURE } from './azure.ts';
import { BAIDU_TRANSPORT } from './baidu.ts';
import { BEDROCK_TRANSPORT } from './bedrock.ts';
import { FULL, ORIGIN, PLAIN } from './plain.ts';
import { TENCENT } from './tencent.ts';
import type { Transport } from './transport.ts';
import { VERTEX_TRANSPORT } from './vertex.ts';

const TRANSPORTS: Readonly<Record<TransportName, Transport>> = {
  plain: PLAIN,
  full: FULL,
  origin: ORIGIN,
  azure: AZURE,
  bedrock: BEDROCK_TRANSPORT,
  vertex: VERTEX_TRANSPORT,
  baidu: BAIDU_TRANSPORT,
  tencent: TENCENT,
};

export function transportOf(provider: ProviderRow): Transport {
  return TRANSPORTS[provider.transport];
}

/** The dialect family that this provider uses for this model. */
export function providerFamilyOf(provider: ProviderRow, model: string): ProviderFamily {
  return transportOf(provider).familyOf?.(model) ?? provider.family;
}
