/** Builds the log rows of a call (docs/logs.md) from its values alone. */
import { nowSec } from '../../context.ts';
import { factsText, type LogFacts } from '../../domain/logs/log-facts.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { shortFacts, shortPrice } from '../../domain/logs/short-facts.ts';
import { type Charge, marginalRates, usedRates, usedTools } from '../../domain/pricing/charge.ts';
import type { Price } from '../../domain/pricing/price.ts';
import type { TokenRates } from '../../domain/pricing/rates.ts';
import { emptyUsage, totalInput, totalOutput, type Usage } from '../../domain/pricing/usage.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { storedContent } from '../../services/logs/audit.ts';
import type { LogRow } from '../../store/logs/log-row.ts';
import type { Admitted } from '../call/admitted.ts';
import type { AttemptRecord } from '../call/attempt-record.ts';
import type { Ended } from '../call/call-end.ts';
import { endpointName } from '../call/incoming-call.ts';
import { changedFields, ignoredTier } from '../call/priced-request.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { Reservation } from '../call/reservation.ts';
import { errorFacts, loggedMessage } from '../failures/attempt-results.ts';
import { isImages } from '../translate/openai-endpoint-answer.ts';
import { costOf } from './call-cost.ts';
import { furtherOf } from './other-models.ts';

type LogDeps = Ports<'ctx' | 'prices'>;

const TOKENS_MISSING = { event: 'tokens_missing' } as const;

/** Maximum chat content stored in a log row, if the operator enables it. */
const MAX_LOGGED_TEXT = 64 * 1024;

/** The entries of one call: of its charge, and of its failed attempts, each if it is logged. */
export function logRows(deps: LogDeps, end: Ended, charge: Charge | undefined): LogRow[] {
  const rows = errorRows(deps, end, callFields);
  if (charge !== undefined && deps.ctx.options().get('LogConsumeEnabled'))
    rows.push(consumeRow(deps, end, charge));
  return rows;
}

/** `ownFacts` are those of the call, besides the failure. */
export function errorRows(
  deps: Ports<'ctx'>,
  end: Ended,
  ownFacts: (end: Ended) => LogFacts,
): LogRow[] {
  const rows: LogRow[] = [];
  if (!deps.ctx.options().get('LogErrorEnabled')) return rows;
  for (const attempt of end.call.attempts)
    if (attempt.code !== '') rows.push(errorRow(deps, end, attempt, ownFacts(end)));
  return rows;
}

function consumeRow(deps: LogDeps, end: Ended, charge: Charge): LogRow {
  const usage = end.usage ?? emptyUsage();
  const isEmpty = totalInput(usage) + totalOutput(usage) + charge.units === 0;
  const { call } = end;
  const { channel, price, groupRatio } = call.route;
  const row = rowOf(deps, end, {
    type: LOG_TYPE.consume,
    content: isEmpty ? storedContent(deps.ctx, TOKENS_MISSING) : '',
    quota: charge.units,
    cost: costOf(deps, end),
    promptTokens: totalInput(usage),
    completionTokens: totalOutput(usage),
    usageSource: end.usageSource,
    channelId: channel?.id ?? 0,
    tookMs: Math.max(0, deps.ctx.now() - call.incoming.receivedAtMs),
    other: '',
  });
  if (price === undefined) return row; // there is no charge without a price
  const known = factsOf(deps, end, usage, charge);
  const facts = isEmpty ? { ...known, ...TOKENS_MISSING } : known;
  const priced = priceText(price, usage, groupRatio, row.model_name);
  return Object.assign(row, {
    other: shortFacts(row, { price: priced, facts, attempts: call.attempts }),
  });
}

interface PriceText {
  readonly groupRatio: number;
  readonly model: string;
  readonly text: string;
}

/** By the rates, or the price per call. Cached, because it is the same for thousands of calls. */
const priceTexts = new WeakMap<TokenRates | Price, PriceText>();

function priceText(price: Price, usage: Usage, groupRatio: number, model: string): string {
  const rates = price.kind === 'per_call' ? price : usedRates(price, usage).rates;
  const known = priceTexts.get(rates);
  if (known?.groupRatio === groupRatio && known.model === model) return known.text;
  const text = shortPrice(model, {
    group_ratio: groupRatio,
    price_name: price.name,
    price_rule: price.rule,
    rates: 'kind' in rates ? rates.model_price : rates,
  });
  priceTexts.set(rates, { groupRatio, model, text });
  return text;
}

function factsOf(deps: LogDeps, end: Ended, usage: Usage, charge: Charge): LogFacts {
  return {
    cache_tokens: usage.cacheRead,
    ...cacheCreation(usage),
    ...(usage.tier === undefined ? {} : { service_tier: usage.tier }),
    ...rareRates(end.call.route.price, usage),
    usage: occurredUsage(usage),
    ...furtherFacts(deps, end),
    ...callFields(end),
    ...imageFields(end),
    ...contentFields(deps, end),
    exact_units: charge.exactUnits,
    ...excessOverAllowed(end.call.reservation, charge),
    ...(end.disbelieved && { disbelieved_usage: occurredUsage(end.disbelieved) }),
  };
}

function errorRow(deps: Ports<'ctx'>, end: Ended, attempt: AttemptRecord, own: LogFacts): LogRow {
  const facts = {
    ...errorFacts(attempt),
    channel_type: end.call.route.channel?.type ?? 0,
    ...own,
    admin_info: adminInfo(end.call),
  };
  return rowOf(deps, end, {
    type: LOG_TYPE.error,
    content: loggedMessage(deps, attempt),
    quota: 0,
    cost: null,
    promptTokens: 0,
    completionTokens: 0,
    usageSource: '',
    channelId: attempt.channel_id,
    tookMs: attempt.duration_ms,
    other: factsText(facts),
  });
}

/** What distinguishes the entries of one call. */
interface RowFacts {
  readonly type: number;
  readonly content: string;
  readonly quota: number;
  readonly cost: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly usageSource: string;
  readonly channelId: number;
  readonly tookMs: number;
  readonly other: string;
}

/**
 * One literal with every column, because on this hot path spreading would cost more than the row
 * itself.
 */
export function rowOf(deps: Ports<'ctx'>, end: Ended, facts: RowFacts): LogRow {
  const { call, firstContentAtMs } = end;
  const { caller, incoming, intent } = call;
  return {
    request_id: incoming.requestId,
    user_id: caller.user.id,
    created_at: nowSec(deps.ctx),
    type: facts.type,
    content: facts.content,
    username: caller.user.username,
    token_name: caller.token.name,
    model_name: storableText(intent.model).slice(0, 255),
    quota: facts.quota,
    cost: facts.cost,
    prompt_tokens: facts.promptTokens,
    completion_tokens: facts.completionTokens,
    use_time: Math.round(facts.tookMs / 1000),
    use_time_ms: facts.tookMs,
    first_token_ms: firstContentAtMs === 0 ? 0 : firstContentAtMs - incoming.receivedAtMs,
    is_stream: intent.stream,
    channel_id: facts.channelId,
    token_id: caller.token.id,
    group: caller.group,
    client_ip: caller.user.showsAddressInLogs ? incoming.address : '',
    usage_source: facts.usageSource,
    other: facts.other,
  };
}

function cacheCreation(usage: Usage) {
  const written = usage.cacheWrite + usage.cacheWrite5m + usage.cacheWrite1h;
  return written > 0 ? { cache_creation_tokens: written } : {};
}

/** Rates that most calls do not use, and the conditions that changed rates. */
function rareRates(price: Price | undefined, usage: Usage): LogFacts {
  if (price?.kind !== 'per_token') return {};
  const { rates, conditions } = usedRates(price, usage);
  const hasAudio = usage.audioInput + usage.audioOutput > 0;
  const { audio_input, audio_output, cache_write_1h, image_input, image_output } = rates;
  const rare = {
    ...(hasAudio && { audio_input, audio_output }),
    ...(usage.imageInput > 0 && { image_input }),
    ...(usage.imageOutput > 0 && { image_output }),
    ...(usage.cacheWrite1h > 0 && { cache_write_1h }),
    ...usedTools(price, usage),
  };
  const marginal = marginalRates(price, usage);
  return {
    ...(Object.keys(rare).length > 0 && { rates: rare }),
    ...(conditions.length > 0 && { rate_conditions: conditions }),
    ...(marginal.length > 0 && { marginal_rates: marginal }),
  };
}

/** The passes that `usage` leaves out, each with its rates. */
function furtherFacts(deps: LogDeps, end: Ended): LogFacts {
  const further = furtherOf(deps, end);
  if (further.length === 0) return {};
  return {
    further_usage: further.map(({ model, price, usage }) => ({
      ...(model !== undefined && { model, price_name: price.name }),
      rates: usedRates(price, usage).rates,
      usage: occurredUsage(usage),
    })),
  };
}

/** Only the kinds of tokens that occurred. */
function occurredUsage(usage: Usage): Partial<Usage> {
  const found: Record<string, number> = {};
  for (const kind in usage) {
    const tokens = usage[kind as keyof Usage]; // a key of the same object
    if (typeof tokens === 'number' && tokens !== 0) found[kind] = tokens;
  }
  return found;
}

function callFields(end: Ended) {
  const { call } = end;
  const { incoming, intent } = call;
  const { upstreamModel } = call.route;
  const isMapped = upstreamModel !== '' && upstreamModel !== intent.model;
  const ignored = ignoredTier(call);
  const changed = changedFields(call);
  return {
    endpoint: endpointName(incoming),
    ending: end.ending,
    frt: end.firstContentAtMs === 0 ? -1000 : end.firstContentAtMs - incoming.receivedAtMs,
    held: call.reservation.hold?.userUnits ?? 0,
    ...(end.calls === 1 ? {} : { calls: end.calls }),
    ...(ignored === undefined ? {} : { service_tier_ignored: storableText(ignored).slice(0, 40) }),
    ...(changed.length === 0 ? {} : { fields_removed: changed }),
    ...(call.downgradedFrom === undefined
      ? {}
      : { downgraded_from: storableText(call.downgradedFrom).slice(0, 255) }),
    ...(isMapped ? { is_model_mapped: true, upstream_model_name: upstreamModel } : {}),
    ...(typeof intent.body.reasoning_effort === 'string'
      ? { reasoning_effort: intent.body.reasoning_effort }
      : {}),
  };
}

/**
 * The upstream reported more than the call was allowed: the excess is charged in full and logged.
 */
export function excessOverAllowed(
  { allowedUnits }: Pick<Reservation, 'allowedUnits'>,
  { units }: Pick<Charge, 'units'>,
): { readonly over_allowed?: number } {
  const over = allowedUnits === undefined ? 0 : units - allowedUnits;
  return over > 0 ? { over_allowed: over } : {};
}

/** What an image's price depends on. */
function imageFields({ units, call: { incoming, intent } }: Ended) {
  if (!isImages(incoming.endpoint)) return {};
  const { size, quality } = intent.body;
  return {
    ...(units === undefined ? {} : { images: units }),
    ...(typeof size === 'string' ? { image_size: storableText(size).slice(0, 40) } : {}),
    ...(typeof quality === 'string' ? { image_quality: storableText(quality).slice(0, 40) } : {}),
  };
}

export function adminInfo({ attempts }: Admitted) {
  return {
    use_channel: attempts.map((attempt) => String(attempt.channel_id)),
    attempts,
  };
}

function contentFields(deps: LogDeps, { call, answerText }: Ended) {
  if (!deps.ctx.options().get('LogChatContentEnabled')) return {};
  const { messages, prompt, input, query } = call.intent.body;
  const system = systemPromptOf(call.intent.body);
  const list = Array.isArray(messages) ? messages : [];
  const content = list.length > 0 ? list.at(-1) : (prompt ?? input ?? query ?? '');
  return {
    ...(system === undefined ? {} : { system_prompt: bounded(system) }),
    input_content: bounded(content),
    ...(list.length > 1 ? { context: bounded(list.slice(0, -1)) } : {}),
    output_content: bounded(answerText),
  };
}

/** The client's own, in the dialects that send it beside the messages; not that of the channel. */
function systemPromptOf(body: Readonly<Record<string, unknown>>): unknown {
  return body.system ?? body.instructions ?? body.systemInstruction ?? body.system_instruction;
}

/** Text for a log row, without inline files, and shortened before it is serialized. */
function bounded(value: unknown): string {
  const excerpt = excerptFrom(value, { chars: MAX_LOGGED_TEXT });
  const text = typeof excerpt === 'string' ? excerpt : JSON.stringify(excerpt);
  return storableText(text.slice(0, MAX_LOGGED_TEXT));
}

const ENTRY_CHARS = 2;

/** The start of `value`, which is parsed JSON: about as much as `left` allows. */
function excerptFrom(value: unknown, left: { chars: number }): unknown {
  left.chars -= ENTRY_CHARS;
  if (typeof value === 'string') {
    const text = withoutFiles(value.slice(0, MAX_LOGGED_TEXT));
    left.chars -= text.length;
    return text;
  }
  if (Array.isArray(value)) {
    const entries: unknown[] = [];
    for (const entry of value) {
      if (left.chars <= 0) break;
      entries.push(excerptFrom(entry, left));
    }
    return entries;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (left.chars <= 0) break;
    left.chars -= name.length;
    fields.push([name, excerptFrom(inner, left)]);
  }
  return Object.fromEntries(fields);
}

function withoutFiles(text: string): string {
  return text.replaceAll(/data:[\w./+-]+;base64,[A-Za-z0-9+/=]+/g, 'data:[…]');
}
