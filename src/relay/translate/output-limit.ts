/** Determines the output token limit from the client's limit, the upstream's and the model's. */
import { clientDialect } from '../../dialects/all.ts';
import { budgetWithin, type Reasoning } from '../../dialects/hub/thinking/reasoning.ts';
import { limitsOfModel, type ModelLimits } from '../../domain/pricing/model-limits.ts';
import { modelRuleOf } from '../../providers/requests/model-rules.ts';
import type { Admitted } from '../call/admitted.ts';
import { NO_ATTACHMENTS } from '../call/attachments.ts';
import type { Ports } from '../call/relay-ports.ts';
import { isPassThrough } from './channel-override.ts';
import { shapedRequest } from './dialect-request.ts';

export interface AnswerLimit {
  /** Most tokens that the answer can have. */
  readonly tokens: number;
  /** Neither client nor operator set a limit. */
  readonly isOpen: boolean;
  /** The gateway may set a lower one. */
  readonly mayLower: boolean;
}

/** Limits of the upstream's model, else of the requested one. */
export function modelLimits(
  { ctx }: Ports<'ctx'>,
  { intent, route: { upstreamModel } }: Pick<Admitted, 'intent' | 'route'>,
): ModelLimits {
  const options = ctx.options();
  const names = [upstreamModel, intent.model];
  return limitsOfModel(names, options.get('ModelOutputLimits'), options.get('SyncedRates'));
}

export function answerLimit(relay: Ports<'ctx'>, call: Admitted): AnswerLimit {
  const { output } = modelLimits(relay, call);
  const given = call.cappedAt === undefined ? call.intent.maxTokens : call.intent.askedTokens;
  const set = overriddenLimit(relay, call, output);
  if (set !== undefined) return fixed(Math.max(set, given ?? 0));
  const pair = call.route.plan?.pair;
  const rule = pair?.upstream.limit;
  if (rule?.isAbsent) return fixed(Math.max(output, given ?? 0));
  if (given !== undefined)
    return { tokens: sentLimit(relay, call, given), isOpen: false, mayLower: true };
  const isWritten = rule?.written !== undefined && !pair?.isSame;
  const tokens = isWritten ? sentLimit(relay, call, undefined) : output;
  return { tokens, isOpen: true, mayLower: true };
}

function fixed(tokens: number): AnswerLimit {
  return { tokens, isOpen: false, mayLower: false };
}

/**
 * The limit sent upstream for the client's limit `tokens` (undefined: none). It is raised where
 * reasoning counts towards the limit and would use all of it.
 */
export function sentLimit(relay: Ports<'ctx'>, call: Admitted, tokens: number | undefined): number {
  const { channel, upstreamModel, named, plan } = call.route;
  const pair = plan?.pair;
  const { least = 0, written } = pair?.upstream.limit ?? {};
  const requested = Math.max(tokens ?? 0, least);
  if (written === undefined || channel === undefined) return requested;
  if (pair?.isSame && named === undefined) return requested;
  const maxTokens = named?.maxTokens ?? tokens;
  const request = { ...shapedRequest(call, NO_ATTACHMENTS), maxTokens };
  return written(relay.ctx.options(), upstreamModel, request);
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

/** The limit after the channel's `param_override`; undefined where that sets none. */
function overriddenLimit(
  relay: Ports<'ctx'>,
  { route: { channel } }: Admitted,
  output: number,
): number | undefined {
  const paramOverride = channel?.paramOverride;
  if (channel === undefined || paramOverride === undefined) return undefined;
  if (isPassThrough(relay, channel)) return undefined;
  const named = LIMIT_FIELDS.filter((name) => Object.hasOwn(paramOverride, name));
  if (named.length === 0) return undefined;
  const numbers = named
    .map((name) => paramOverride[name])
    .filter((value) => typeof value === 'number');
  return numbers.length === named.length ? Math.max(...numbers) : output;
}

/** The same call as if its client had set this limit, with budgets for thinking that fit into it. */
export function withLimit<T extends Admitted>(call: T, tokens: number): T {
  const { intent, cappedAt, route } = call;
  const { named } = route;
  const { request } = intent;
  return {
    ...call,
    cappedAt: tokens,
    route:
      named === undefined ? route : { ...route, named: { ...named, ...limited(named, tokens) } },
    intent: {
      ...intent,
      ...(request === undefined ? {} : { request: { ...request, ...limited(request, tokens) } }),
      body: clientDialect(call.incoming).withLimit(intent.body, tokens, limitField(call)),
      maxTokens: tokens,
      askedTokens: cappedAt === undefined ? intent.maxTokens : intent.askedTokens,
    },
  };
}

function limited<R extends Reasoning | undefined>(
  { reasoning }: { readonly reasoning?: R },
  tokens: number,
): { readonly maxTokens: number; readonly reasoning?: R } {
  if (reasoning?.mode !== 'budget') return { maxTokens: tokens };
  return {
    maxTokens: tokens,
    reasoning: { ...reasoning, tokens: budgetWithin(reasoning.tokens, tokens) },
  };
}

/** Pass-through bodies are not converted, so the field must be the model's own. */
function limitField({ route: { plan, upstreamModel } }: Admitted): string {
  if (plan?.endpoint !== 'chat') return 'max_tokens';
  const rule = modelRuleOf(plan.provider.slug, upstreamModel);
  return rule?.rename?.max_tokens ?? 'max_tokens';
}
