/** The client's and the upstream's dialect of a call. */
import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type {
  AnswerContext,
  DialectPair,
  UpstreamDialectName,
} from '../../dialects/hub/dialect.ts';
import type { HubRequest } from '../../dialects/hub/request/request.ts';
import { estimatePrompt } from '../../domain/token-count/token-estimate.ts';
import type { ProviderFamily, ProviderRow } from '../../providers/rows/provider-row.ts';
import { providerFamilyOf } from '../../providers/transports/all.ts';
import { refuseLongConversation } from '../body/long-conversation.ts';
import type { Intent } from './call-intent.ts';
import type { Admitted } from './call-stages.ts';
import type { Incoming } from './incoming-call.ts';
import { pricedBody } from './priced-request.ts';

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
  incoming: Incoming,
  dialect: UpstreamDialectName,
): DialectPair | undefined {
  if (incoming.endpoint !== 'chat') return undefined;
  const client = clientDialect(incoming);
  const upstream = UPSTREAM_DIALECTS[dialect];
  if (client.isNative && upstream.isNative) return undefined;
  return { client, upstream, isSame: client.name === upstream.name };
}

const requests = new WeakMap<Intent, HubRequest>();

/**
 * The request in the hub's form; parsed once per call.
 * @throws AppError field_missing, field_wrong
 */
export function requestOf({ incoming, intent }: Pick<Admitted, 'incoming' | 'intent'>): HubRequest {
  const known = intent.request ?? requests.get(intent);
  if (known !== undefined) return known;
  refuseLongConversation(intent);
  const read = clientDialect(incoming).readRequest(intent.body);
  requests.set(intent, read);
  return read;
}

function choicesOf({ count = 1 }: HubRequest): Pick<AnswerContext, 'choices'> {
  return count > 1 ? { choices: count } : {};
}

/** The context for reading and writing the answer. */
export function answerContext(call: Admitted, { client, isSame }: DialectPair): AnswerContext {
  const { incoming, intent } = call;
  return {
    id: incoming.requestId,
    createdSec: Math.floor(incoming.receivedAtMs / 1000),
    model: intent.model,
    tools: isSame ? [] : requestOf(call).tools,
    ...choicesOf(requestOf(call)),
    wantsUsage: intent.wantsUsage,
    ...(client.opensWithPromptTokens && !isSame
      ? { promptTokens: estimatePrompt(intent.body, 'chat', call.upstreamModel) }
      : {}),
    ...(client.repeatsRequest && !isSame ? { requestBody: pricedBody(call) } : {}),
    asList: incoming.pathAsks?.asList === true,
  };
}
