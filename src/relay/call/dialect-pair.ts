/** The client's and the upstream's dialect of a call. */
import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { ForwardingReaders } from '../../dialects/hub/answer/answer-reader.ts';
import type { DecodedForwarding } from '../../dialects/hub/capabilities.ts';
import type { DialectPair, UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import { COMPLETIONS } from '../../dialects/openai/chat/chat.ts';
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

const TEXT_COMPLETIONS: DialectPair = { client: COMPLETIONS, upstream: COMPLETIONS, isSame: true };

/** Undefined for endpoints without a conversation, which have their own readers. */
export function dialectPair(
  incoming: Pick<Incoming, 'endpoint' | 'dialect'>,
  dialect: UpstreamDialectName,
): DialectPair | undefined {
  if (incoming.endpoint === 'completions') return TEXT_COMPLETIONS;
  if (incoming.endpoint !== 'chat') return undefined;
  const client = clientDialect(incoming);
  const upstream = UPSTREAM_DIALECTS[dialect];
  return { client, upstream, isSame: client.name === upstream.name };
}

/** The dialect's own readers of forwarded answers; undefined if the hub reads the answers. */
export function forwardingReaders({ client, isSame }: DialectPair): ForwardingReaders | undefined {
  const { answers } = client.forwarding;
  return isSame && 'stream' in answers ? answers : undefined;
}

/** How answers are forwarded that the hub reads; undefined if they are translated. */
export function decodedForwarding({ client, isSame }: DialectPair): DecodedForwarding | undefined {
  const { answers } = client.forwarding;
  return isSame && 'holdsWhen' in answers ? answers : undefined;
}
