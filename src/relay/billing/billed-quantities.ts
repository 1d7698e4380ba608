/**
 * Computes the quantities that a call's price is based on: before the call for the hold, afterwards
 * as the gateway's own count if the upstream reported none (docs/billing.md, "What is counted").
 */

import { UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import { objectOf } from '../../dialects/gemini/fields.ts';
import type { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { chargesMoreByHour, type HoldInput } from '../../domain/pricing/hold.ts';
import { drawnImageTokens, imagePriceFactor } from '../../domain/pricing/image-factors.ts';
import { type Added, addedBy } from '../../domain/pricing/paid-fields.ts';
import { emptyUsage, tierOf, type Usage } from '../../domain/pricing/usage.ts';
import { audioSeconds } from '../../domain/token-count/audio-length.ts';
import { promptTokenBound } from '../../domain/token-count/prompt-bound.ts';
import {
  speechSeconds,
  speechTokens,
  transcriptionTokens,
} from '../../domain/token-count/token-estimate.ts';
import { type JsonObject, textIn } from '../../json/read-json.ts';
import { filesOf, type MultipartFile } from '../../providers/requests/multipart-form.ts';
import type { Admitted } from '../call/admitted.ts';
import { imageParams } from '../call/call-facts.ts';
import { type Intent, withExtraBody } from '../call/call-intent.ts';
import type { Ports } from '../call/relay-ports.ts';
import { translatedPreview } from '../translate/dialect-request.ts';
import { isImages, isTranscript } from '../translate/openai-endpoint-answer.ts';
import { answerLimit, modelLimits } from '../translate/output-limit.ts';
import { isPricedByCallAlone } from './call-cost.ts';

export type Quantity = Omit<HoldInput, 'preConsumedTokens'> & {
  /** Neither client nor operator set `maxTokens`: it is the model's own limit. */
  readonly isOpen?: boolean;
  /** The gateway may set a lower `maxTokens`. */
  readonly mayLower?: boolean;
  /** Others of the same size follow, so a lowered one takes no more than its share. */
  readonly isRepeated?: boolean;
};

/**
 * The most that a call can be billed for; a price per call is multiplied by `calls`. `textTokens`:
 * the most tokens of the body's text, if they were counted.
 */
export function holdQuantity(
  relay: Ports<'ctx'>,
  call: Admitted,
  textTokens?: number | undefined,
): Quantity {
  const { intent, incoming } = call;
  const { endpoint } = incoming;
  if (isTranscript(endpoint)) return transcriptQuantity(call);
  const prompt = promptOf(relay, call, textTokens);
  if (isImages(endpoint)) {
    const imageTokens = filesOf(intent.form ?? []).length * MAX_IMAGE_TOKENS;
    return { ...prompt, ...imageQuantity(call), promptTokens: prompt.promptTokens + imageTokens };
  }
  if (endpoint === 'rerank') return rerankQuantity(prompt, intent.body);
  if (endpoint === 'speech') return { ...prompt, ...speechQuantity(call) };
  if (endpoint === 'realtime') {
    const longest = realtimeAnswer(relay, { ...call, cappedAt: undefined });
    const lowering = { mayLower: true, isRepeated: true };
    return { ...prompt, audioTokens: REALTIME_HEADROOM, ...longest, ...lowering };
  }
  if (endpoint !== 'chat' && endpoint !== 'completions') return { ...prompt, maxTokens: 0 };
  const { tokens, isOpen, mayLower } = answerLimit(relay, call);
  const { passes, uses } = prompt.added;
  return {
    promptTokens: prompt.promptTokens * (1 + passes),
    audioTokens: prompt.audioTokens,
    keepsHour: prompt.keepsHour,
    maxTokens: tokens,
    isOpen,
    mayLower,
    hasAudioAnswer: mayAnswerAudio(intent.body),
    tier: requestedTier(intent.body),
    uses,
    answers: requestedAnswers(call) + passes,
  };
}

/** The default limit of a response in the Realtime API. */
const DEFAULT_RESPONSE_TOKENS = 4_096;

/**
 * What the hold of a Realtime response covers beyond the conversation so far: 100 seconds of
 * speech, or a few pages of text.
 */
export const REALTIME_HEADROOM = 1_000;

/** A response of a Realtime session: at most the limit of the session, else of the model. */
export function realtimeAnswer(
  relay: Ports<'ctx'>,
  call: Admitted,
): Pick<Quantity, 'maxTokens' | 'hasAudioAnswer'> {
  const { output, context } = modelLimits(relay, call);
  const longest = context === undefined ? DEFAULT_RESPONSE_TOKENS : output;
  return { maxTokens: call.cappedAt ?? longest, hasAudioAnswer: true };
}

/** Everything sent to the upstream that it may bill as input. */
function promptOf(
  relay: Ports<'ctx'>,
  call: Admitted,
  textTokens: number | undefined,
): Pick<Quantity, 'promptTokens' | 'audioTokens' | 'keepsHour'> & { readonly added: Added } {
  const { intent, incoming } = call;
  const { channel, upstreamModel } = call.route;
  const { systemPrompt = '', paramOverride } = channel ?? {};
  const addedBytes =
    Buffer.byteLength(systemPrompt) +
    (paramOverride === undefined ? 0 : Buffer.byteLength(JSON.stringify(paramOverride)));
  const sent = withExtraBody(intent.body);
  const body = paramOverride === undefined ? sent : { ...sent, ...paramOverride };
  const added = addedTo(relay, call, body);
  const { tokens, audioTokens } = promptTokenBound({
    body,
    added,
    // The files of a form are counted separately.
    bytes: addedBytes + (intent.form === undefined ? intent.raw.length : jsonBytes(intent.sent)),
    textTokens: textTokens === undefined ? undefined : textTokens + addedBytes,
    model: upstreamModel,
    // Not for several prompts in one request, as each may be that long.
    context: incoming.endpoint === 'chat' ? modelLimits(relay, call).context : undefined,
  });
  const { price } = call.route;
  const keepsHour = price !== undefined && chargesMoreByHour(price) && mayKeepHour(intent);
  return { promptTokens: tokens, audioTokens, keepsHour, added };
}

/** What the fields of the request add. A vendor's tool may not be sent to an upstream of another dialect. */
function addedTo(relay: Ports<'ctx'>, call: Admitted, body: JsonObject): Added {
  const { channel, plan, upstreamModel } = call.route;
  const provider = plan?.provider.slug;
  const place = {
    model: upstreamModel,
    provider,
    limitsToolCalls:
      plan !== undefined &&
      UPSTREAM_DIALECTS[plan.dialect].limitsToolCalls === true &&
      CALL_LIMITS.has(provider),
  };
  const added = addedBy(body, place);
  if (added.vendorTools === 0) return added;
  const translated = translatedPreview(relay, call);
  return translated === undefined
    ? added
    : addedBy({ ...translated, ...channel?.paramOverride }, place);
}

/** Providers that keep to `max_tool_calls`. */
const CALL_LIMITS: ReadonlySet<string | undefined> = new Set(['openai', 'azure']);

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Longer bodies would have to be searched in slices, so they are assumed to use the one-hour cache.
 */
const SEARCHED_BYTES = 4 * 1024 * 1024;

/** Whether the body may contain `"ttl": "1h"`, including escaped spellings. */
function mayKeepHour({ raw, source }: Pick<Intent, 'raw' | 'source'>): boolean {
  if (raw.length > SEARCHED_BYTES) return true;
  // A search of text takes a fraction of one of bytes.
  const sent = typeof source === 'string' && source !== '' ? source : raw;
  // Rare characters first: a quotation mark stands everywhere.
  const mayBePlain = sent.includes('1h"') && sent.includes('"1h"');
  if (mayBePlain) return true;
  return sent.includes('\\u00') && (sent.includes('\\u003') || sent.includes('\\u006'));
}

/** Whether the requested output includes audio, in OpenAI's or Google's format. */
function mayAnswerAudio(body: JsonObject): boolean {
  const config = objectOf(body, 'generationConfig');
  const modalities = [body.modalities, config?.responseModalities, config?.response_modalities];
  return modalities.some(
    (list) => Array.isArray(list) && list.some((kind) => /^audio$/i.test(String(kind))),
  );
}

/**
 * Number of answers requested, each up to the output limit. `best_of` counts answers that are
 * generated and billed but not delivered; completions answer each prompt of a list.
 */
function requestedAnswers({ incoming, intent, route: { channel } }: Admitted): number {
  const { request } = intent;
  const set = countIn(channel?.paramOverride?.n);
  if (request !== undefined) return Math.max(set, countIn(request.count));
  const body = withExtraBody(intent.body);
  const each = Math.max(set, countIn(body.n), countIn(body.best_of));
  return incoming.endpoint === 'completions' ? each * promptsIn(body.prompt) : each;
}

function countIn(value: unknown): number {
  return typeof value === 'number' && value > 1 ? value : 1;
}

/** A list of numbers is one prompt in tokens. */
function promptsIn(prompt: unknown): number {
  if (!Array.isArray(prompt) || prompt.every((entry) => typeof entry === 'number')) return 1;
  return Math.max(1, prompt.length);
}

/**
 * The requested tier under any dialect's field name, including `speed` of Anthropic's fast mode.
 */
function requestedTier({ service_tier, serviceTier, speed }: JsonObject): string | undefined {
  return tierOf(speed) ?? tierOf(service_tier ?? serviceTier);
}

/** Cohere's billing unit (docs.cohere.com, "How does Cohere's pricing work"). */
const DOCUMENTS_PER_SEARCH = 100;

/** A longer document counts as several documents of a search. */
const DOCUMENT_TOKENS = 500;

function documentsIn({ documents }: JsonObject): number {
  return Array.isArray(documents) ? documents.length : 1;
}

function rerankQuantity(prompt: Pick<Quantity, 'promptTokens'>, body: JsonObject): Quantity {
  const documents = documentsIn(body);
  const query = typeof body.query === 'string' ? Buffer.byteLength(body.query) : 0;
  const pieces = documents + Math.floor(prompt.promptTokens / DOCUMENT_TOKENS);
  return {
    ...prompt,
    promptTokens: prompt.promptTokens + query * documents,
    maxTokens: 0,
    calls: Math.ceil(pieces / DOCUMENTS_PER_SEARCH),
  };
}

/** An image of the largest size at the highest quality, and each preview sent before it. */
const MAX_IMAGE_TOKENS = 6_240;
const PARTIAL_IMAGE_TOKENS = 100;

function imageQuantity(call: Admitted): Pick<Quantity, 'maxTokens' | 'calls'> {
  const params = imageParams(call);
  const partial = call.intent.body.partial_images;
  const each =
    MAX_IMAGE_TOKENS + PARTIAL_IMAGE_TOKENS * (typeof partial === 'number' ? partial : 0);
  return {
    maxTokens: Math.max(drawnImageTokens(params), Math.ceil(each * (params.n ?? 1))),
    calls: imagePriceFactor(params),
  };
}

/** Slow speech: characters per second. */
const LETTERS_PER_SEC = 5;

function speechQuantity({ intent, route: { upstreamModel } }: Admitted): Partial<Quantity> {
  const { input, speed } = intent.body;
  const slowness = typeof speed === 'number' && speed > 0 && speed < 1 ? 1 / speed : 1;
  const letters = typeof input === 'string' ? input.length : 0;
  const seconds = (letters / LETTERS_PER_SEC + 1) * slowness;
  return { maxTokens: speechTokens(upstreamModel, seconds), hasAudioAnswer: true };
}

/** Transcript tokens of fast speech. */
const TEXT_TOKENS_PER_SEC = 10;

function transcriptQuantity(call: Admitted): Quantity {
  const seconds = secondsOf(call);
  const prompt = textIn(call.intent.body, 'prompt') ?? '';
  const audioTokens = transcriptionTokens(seconds);
  const promptTokens = Buffer.byteLength(prompt);
  // Other models are billed by duration alone.
  if (!/^gpt-/.test(call.route.upstreamModel))
    return { promptTokens: promptTokens + audioTokens, maxTokens: 0 };
  const maxTokens = Math.ceil(seconds * TEXT_TOKENS_PER_SEC);
  return { promptTokens, audioTokens: audioTokens, maxTokens };
}

/**
 * How often a price per call applies, once the answer is known. `units`: images or searches that
 * the upstream delivered; undefined when it reported none.
 */
export function callsFor(call: Admitted, units: number | undefined): number {
  const { endpoint } = call.incoming;
  if (endpoint === 'rerank') {
    const searches = Math.ceil(documentsIn(call.intent.body) / DOCUMENTS_PER_SEARCH);
    return units === undefined ? searches : Math.min(units, MOST_UNITS * call.calls);
  }
  if (units === undefined) return call.calls;
  return isImages(endpoint) ? imagePriceFactor({ ...imageParams(call), n: units }) : units;
}

/** Reported searches of a rerank beyond this are not believed. */
const MOST_UNITS = 10;

/** The answer, as far as it can be counted. */
export interface AnswerContents {
  readonly delivered: DeliveredContent;
  /** Number of images. */
  readonly units?: number | undefined;
  /** Bytes of audio. */
  readonly audioBytes?: number | undefined;
}

/**
 * The gateway's own count for endpoints whose usage is not text tokens; undefined for the others.
 */
export async function countContents(
  relay: Ports<'counter'>,
  call: Admitted,
  contents: AnswerContents,
): Promise<Usage | undefined> {
  const { endpoint } = call.incoming;
  if (isTranscript(endpoint))
    return { ...emptyUsage(), input: transcriptionTokens(secondsOf(call)) };
  if (!isImages(endpoint) && endpoint !== 'speech') return undefined;
  const input = await relay.counter.countPrompt(
    call.route.upstreamModel,
    endpoint,
    call.intent.body,
  );
  if (endpoint === 'speech')
    return {
      ...emptyUsage(),
      input,
      audioOutput: speechOutputTokens(call, contents.audioBytes ?? 0),
    };
  // Prices per call do not depend on tokens, so none are estimated.
  if (isPricedByCallAlone(call)) return { ...emptyUsage(), input };
  const n = contents.units ?? imageParams(call).n ?? 1;
  return { ...emptyUsage(), input, imageOutput: drawnImageTokens({ ...imageParams(call), n }) };
}

function speechOutputTokens({ intent, route: { upstreamModel } }: Admitted, bytes: number): number {
  const format = intent.stream ? 'pcm' : (textIn(intent.body, 'response_format') ?? 'mp3');
  return speechTokens(upstreamModel, speechSeconds(format, bytes));
}

const HEAD_BYTES = 64 * 1024;

/** Duration of the file to be transcribed. */
function secondsOf({ intent }: Admitted): number {
  const file = filesOf(intent.form ?? []).find(({ name }) => name === 'file');
  return file === undefined ? 0 : audioSeconds(firstAndLastBytes(file));
}

/**
 * The first and last chunk of a file, which contain the header and, for a stream, its last page.
 */
function firstAndLastBytes({ pieces, bytes }: MultipartFile) {
  const head = firstBytes(pieces);
  const last = pieces.at(-1) ?? head;
  const before = pieces.at(-2);
  const joined =
    last.length >= HEAD_BYTES || before === undefined ? last : Buffer.concat([before, last]);
  return { head, tail: joined.subarray(-HEAD_BYTES), bytes };
}

function firstBytes(pieces: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), second] = pieces;
  const joined =
    first.length >= HEAD_BYTES || second === undefined ? first : Buffer.concat([first, second]);
  return joined.subarray(0, HEAD_BYTES);
}
