/**
 * How much a call takes of what its price counts. Before it: what to hold. After it: our own count,
 * where the upstream told none (docs/billing.md, "What is counted").
 */
import type { Delivered } from '../dialects/openai/delivered.ts';
import { audioSeconds } from '../domain/audio-length.ts';
import type { HoldInput } from '../domain/charge.ts';
import { type ImageWish, imageCalls, imageTokens } from '../domain/price-book/image-factors.ts';
import {
  estimatePrompt,
  speechSeconds,
  speechTokens,
  transcriptionTokens,
} from '../domain/token-estimate.ts';
import { emptyUsage, tierOf, type Usage } from '../domain/usage.ts';
import { type FormFile, filesOf } from '../providers/form.ts';
import { type JsonObject, textIn } from '../providers/json.ts';
import { isImages, isTranscript } from './endpoint-answer.ts';
import type { Endpoint } from './incoming.ts';
import type { Intent } from './intent.ts';
import type { CallRecord } from './record.ts';
import type { Relay } from './relay-context.ts';

export type Quantity = Pick<HoldInput, 'promptTokens' | 'maxTokens' | 'answers' | 'calls' | 'tier'>;

/** What is likely; a price per call is multiplied by `calls`. */
export function holdQuantity(record: CallRecord): Quantity {
  const { intent, incoming } = record;
  const { endpoint } = incoming;
  if (isTranscript(endpoint))
    return { promptTokens: transcriptionTokens(secondsOf(record)), maxTokens: 0 };
  const promptTokens = estimatePrompt(intent.body, endpoint, record.upstreamModel);
  if (isImages(endpoint)) {
    const wish = imageWish(record);
    return { promptTokens, maxTokens: imageTokens(wish), calls: imageCalls(wish) };
  }
  if (endpoint === 'rerank') return { promptTokens, calls: searchesOf(intent.body.documents) };
  return {
    promptTokens,
    maxTokens: intent.maxTokens,
    answers: answersAsked(intent, endpoint),
    tier: askedTier(intent.body),
  };
}

/**
 * How many answers a request asks for, each of them up to its output limit. `best_of` counts answers
 * that are made and billed but not delivered; completions answer each prompt of a list.
 */
function answersAsked({ body, request }: Intent, endpoint: Endpoint): number {
  if (request !== undefined) return countIn(request.count);
  if (endpoint !== 'chat' && endpoint !== 'completions') return 1;
  const each = Math.max(countIn(body.n), countIn(body.best_of));
  return endpoint === 'completions' ? each * promptsIn(body.prompt) : each;
}

function countIn(value: unknown): number {
  return typeof value === 'number' && value > 1 ? value : 1;
}

/** A list of numbers is one prompt in tokens. */
function promptsIn(prompt: unknown): number {
  if (!Array.isArray(prompt) || prompt.every((entry) => typeof entry === 'number')) return 1;
  return Math.max(1, prompt.length);
}

/** By any dialect's name for it; Anthropic's fast mode has a field of its own. */
function askedTier({ service_tier, serviceTier, speed }: JsonObject): string | undefined {
  return tierOf(speed) ?? tierOf(service_tier ?? serviceTier);
}

/** Cohere's unit of a bill (docs.cohere.com, "How does Cohere's pricing work"). */
const DOCUMENTS_PER_SEARCH = 100;

function searchesOf(documents: unknown): number {
  return Array.isArray(documents) ? Math.ceil(documents.length / DOCUMENTS_PER_SEARCH) : 1;
}

/** By what a picture's price is found: under the name that is charged. */
export function imageWish({ intent, price }: CallRecord): ImageWish {
  const { n } = intent.body;
  return {
    model: price?.name ?? intent.model,
    size: textIn(intent.body, 'size'),
    quality: textIn(intent.body, 'quality'),
    n: typeof n === 'number' ? n : 1,
  };
}

/**
 * How often a price per call applies, once the answer is known. `units`: pictures or searches that the
 * upstream delivered; undefined when it did not say.
 */
export function callsFor(record: CallRecord, units: number | undefined): number {
  if (units === undefined) return record.incoming.endpoint === 'rerank' ? 1 : record.calls;
  return isImages(record.incoming.endpoint)
    ? imageCalls({ ...imageWish(record), n: units })
    : units;
}

/** What came, as far as it can be counted. */
export interface Came {
  readonly delivered: Delivered;
  /** Pictures. */
  readonly units?: number | undefined;
  /** Bytes of sound. */
  readonly soundBytes?: number | undefined;
}

/** Our own count for the endpoints that text tokens do not describe; undefined for the others. */
export async function countedHere(
  relay: Relay,
  record: CallRecord,
  came: Came,
): Promise<Usage | undefined> {
  const { endpoint } = record.incoming;
  if (isTranscript(endpoint))
    return { ...emptyUsage(), input: transcriptionTokens(secondsOf(record)) };
  if (!isImages(endpoint) && endpoint !== 'speech') return undefined;
  const input = await relay.counter.countPrompt(record.upstreamModel, endpoint, record.intent.body);
  if (endpoint === 'speech')
    return { ...emptyUsage(), input, audioOutput: spokenTokens(record, came.soundBytes ?? 0) };
  // At a price per call nothing depends on tokens: none are made up.
  if (record.price?.kind === 'per_call') return { ...emptyUsage(), input };
  const n = came.units ?? imageWish(record).n ?? 1;
  return { ...emptyUsage(), input, imageOutput: imageTokens({ ...imageWish(record), n }) };
}

function spokenTokens({ intent, upstreamModel }: CallRecord, bytes: number): number {
  const format = intent.stream ? 'pcm' : (textIn(intent.body, 'response_format') ?? 'mp3');
  return speechTokens(upstreamModel, speechSeconds(format, bytes));
}

const HEAD_BYTES = 64 * 1024;

/** Of the file to be transcribed. */
function secondsOf({ intent }: CallRecord): number {
  const file = filesOf(intent.form ?? []).find(({ name }) => name === 'file');
  return file === undefined ? 0 : audioSeconds(endsOf(file));
}

/** The pieces of a file are long; headers lie in the first, the last page of a stream in the last. */
function endsOf({ pieces, bytes }: FormFile) {
  const head = headOf(pieces);
  const last = pieces.at(-1) ?? head;
  const before = pieces.at(-2);
  const joined =
    last.length >= HEAD_BYTES || before === undefined ? last : Buffer.concat([before, last]);
  return { head, tail: joined.subarray(-HEAD_BYTES), bytes };
}

function headOf(pieces: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), second] = pieces;
  const joined =
    first.length >= HEAD_BYTES || second === undefined ? first : Buffer.concat([first, second]);
  return joined.subarray(0, HEAD_BYTES);
}
