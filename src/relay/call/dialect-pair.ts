/** The client's and the upstream's dialect of a call. */
import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { DialectPair, UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import type { ProviderFamily, ProviderRow } from '../../providers/rows/provider-row.ts';
import { providerFamilyOf } from '../../providers/transports/all.ts';
import type { Incoming } from './incoming-call.ts';

const DIALECT_OF: Readonly<Record<ProviderFamily, UpstreamDialectName>> = {
  openai: 'chat',
  claude: 'anthropic',
  gemini: 'gemini',
  converse: 'converse',
  task: 'chat',
  dify: 'dify',
  coze: 'coze',
  ollama: 'ollama',
  baidu: 'baidu',
  hunyuan: 'hunyuan',
  library: 'library',
  cohere: 'cohere',
};

/** The model's default dialect at the upstream. */
export function upstreamDialect(provider: ProviderRow, model: string): UpstreamDialectName {
  return DIALECT_OF[providerFamilyOf(provider, model)];
}

/** Undefined for OpenAI's older endpoints at compatible upstreams, which have their own readers. */
export function dialectPair(
  incoming: Pick<Incoming, 'endpoint' | 'dialect'>,
  dialect: UpstreamDialectName,
): DialectPair | undefined {
  if (incoming.endpoint !== 'chat') return undefined;
  const client = clientDialect(incoming);
  const upstream = UPSTREAM_DIALECTS[dialect];
  if (client.isNative && upstream.isNative) return undefined;
  return { client, upstream, isSame: client.name === upstream.name };
}
