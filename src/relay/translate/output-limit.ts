/** How long an answer may get: what the client says, what the upstream is told, and what its model can. */
import { claudeFacts } from '../../dialects/anthropic/models.ts';
import { defaultMaxTokens, planThinking } from '../../dialects/anthropic/thinking.ts';
import { objectOf } from '../../dialects/gemini/fields.ts';
import type { UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import { limitsOfModel, type ModelLimits } from '../../domain/pricing/price-book/model-limits.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { modelRuleOf } from '../../providers/model-rules.ts';
import type { Intent } from '../call/call-intent.ts';
import type { CallRecord } from '../call/call-record.ts';
import { providerFor } from '../call/channel-provider.ts';
import { speechOf } from '../call/dialect-pair.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { shapedRequest } from './dialect-request.ts';

export interface AnswerLimit {
  /** Tokens that one answer can have. */
  readonly tokens: number;
  /** Nobody set it: the gateway may. */
  readonly isOpen: boolean;
}

/** Of the upstream's model, else of the one that was asked for. */
export function modelLimits(
  { ctx }: Pick<Relay, 'ctx'>,
  { intent, upstreamModel }: Pick<CallRecord, 'intent' | 'upstreamModel'>,
): ModelLimits {
  return limitsOfModel([upstreamModel, intent.model], ctx.options().get('ModelOutputLimits'));
}

/** Services whose requests have no place for a limit. */
const WITHOUT_LIMIT: ReadonlySet<UpstreamDialectName> = new Set(['dify', 'coze', 'library']);

export function answerLimit(relay: Relay, record: CallRecord): AnswerLimit {
  const { output } = modelLimits(relay, record);
  const given = record.cappedAt === undefined ? record.intent.maxTokens : undefined;
  const set = overriddenLimit(relay, record, output);
  if (set !== undefined) return { tokens: Math.max(set, given ?? 0), isOpen: false };
  const dialect = speechOf(record)?.upstream.name;
  if (dialect !== undefined && WITHOUT_LIMIT.has(dialect))
    return { tokens: Math.max(output, given ?? 0), isOpen: false };
  if (given !== undefined) return { tokens: toldLimit(relay, record, given), isOpen: false };
  const isClaude = dialect === 'anthropic' && record.incoming.dialect !== 'anthropic';
  return { tokens: isClaude ? toldLimit(relay, record, undefined) : output, isOpen: true };
}

/** The least that the Responses API takes. */
const LEAST_RESPONSE = 16;

/**
 * What the upstream is told where the client's limit is `tokens`: where thoughts count and would take all
 * of it, more. `tokens` undefined: none.
 */
export function toldLimit(relay: Relay, record: CallRecord, tokens: number | undefined): number {
  const { channel, upstreamModel, named } = record;
  const speech = speechOf(record);
  const dialect = speech?.upstream.name;
  if (dialect === 'responses') return Math.max(tokens ?? 0, LEAST_RESPONSE);
  if (dialect !== 'anthropic' || channel === undefined) return tokens ?? 0;
  if (speech?.isSame && named === undefined) return tokens ?? 0;
  const usual = defaultMaxTokens(
    relay.ctx.options().get('claude.default_max_tokens'),
    upstreamModel,
  );
  const asked = shapedRequest(record, channel);
  const maxTokens = named?.maxTokens ?? tokens;
  const request = { ...asked, maxTokens };
  return planThinking(request, claudeFacts(upstreamModel), usual.defaultMaxTokens).maxTokens;
}

const LIMIT_FIELDS: readonly string[] = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'generationConfig',
  'generation_config',
  'inferenceConfig',
  'options',
];

/** What the channel's `param_override` makes of it; undefined where it says nothing. */
function overriddenLimit(
  relay: Relay,
  { channel }: CallRecord,
  output: number,
): number | undefined {
  const { paramOverride, setting } = channel ?? {};
  const passes =
    setting?.passThroughBody === true ||
    relay.ctx.options().get('global.pass_through_request_enabled');
  if (paramOverride === undefined || passes) return undefined;
  const named = LIMIT_FIELDS.filter((name) => Object.hasOwn(paramOverride, name));
  if (named.length === 0) return undefined;
  const numbers = named
    .map((name) => paramOverride[name])
    .filter((value) => typeof value === 'number');
  return numbers.length === named.length ? Math.max(...numbers) : output;
}

/** The same request as if its client had set this limit. */
export function withLimit(record: CallRecord, tokens: number): Intent {
  const { intent } = record;
  const { request } = intent;
  return {
    ...intent,
    ...(request === undefined ? {} : { request: { ...request, maxTokens: tokens } }),
    body: limitedBody(record, tokens),
    maxTokens: tokens,
  };
}

function limitedBody(record: CallRecord, tokens: number): JsonObject {
  const { body } = record.intent;
  switch (record.incoming.dialect) {
    case 'gemini':
      return limitedGemini(body, tokens);
    case 'anthropic':
      return { ...body, max_tokens: tokens };
    case 'responses':
      return { ...body, max_output_tokens: tokens };
    default: {
      const { max_tokens: _, max_completion_tokens: _new, ...rest } = body;
      return { ...rest, [limitField(record)]: tokens };
    }
  }
}

function limitedGemini(body: JsonObject, limit: number): JsonObject {
  const { generation_config: _, ...rest } = body;
  const { max_output_tokens: _old, ...config } = objectOf(body, 'generationConfig') ?? {};
  return { ...rest, generationConfig: { ...config, maxOutputTokens: limit } };
}

/** Bodies that pass through are not shaped: the name must be the model's own. */
function limitField({ channel, incoming, upstreamModel }: CallRecord): string {
  if (channel === undefined || incoming.endpoint !== 'chat') return 'max_tokens';
  const rule = modelRuleOf(providerFor(channel, incoming.dialect).slug, upstreamModel);
  return rule?.rename?.max_tokens ?? 'max_tokens';
}
