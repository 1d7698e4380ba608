/**
 * Random traffic through a real gateway: plain and streamed calls under every plan of the fake
 * upstream, some of them cancelled, with a record of what each caller received.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenAnswer, Site, SiteToken } from '../../support/site.ts';
import { PRESETS } from '../../upstream/plans/presets.ts';
import { RATIO_TENTHS } from './receipts.ts';

/** Model names for clients; the upstream names contain the plan. */
export interface Model {
  readonly name: string;
  readonly upstream: string;
  readonly endpoint: 'chat' | 'completions' | 'embeddings';
}

/** What a caller received: a complete answer, a refusal, a stream error, or a cancelled call. */
export type CallOutcome = 'complete' | 'refused' | 'broken' | 'left';

export interface Seen {
  readonly model: Model;
  readonly body: Readonly<Record<string, unknown>>;
  readonly outcome: CallOutcome;
  /** '' if the caller left before the response head. */
  readonly requestId: string;
  readonly userId: number;
  readonly text: string;
}

/** Smaller variants of plans that are slow or large by default. */
const SMALL: Readonly<Record<string, string>> = {
  'huge-event': 'huge-event:1',
  'huge-body': 'huge-body:1',
  delay: 'delay:20',
  'chunk-delay': 'chunk-delay:2',
  events: 'events:40',
  paced: 'paced:6:3',
  'slow-body': 'slow-body:5:4',
  'rate-limit-ms': 'rate-limit-ms:20',
};
/** Would wait for an event that no test sends. */
const NEVER: ReadonlySet<string> = new Set(['hold']);

const PLANS = Object.keys(PRESETS)
  .filter((plan) => !NEVER.has(plan))
  .map((plan) => SMALL[plan] ?? plan);

const MODELS: readonly Model[] = [
  ...PLANS.map((plan) => aModel(`plan ${plan}`, `gpt-4o-mini+${plan}`, 'chat')),
  ...['ok', 'no-usage', 'error-mid-stream', 'reset-mid-body'].map((plan) =>
    aModel(`legacy ${plan}`, `gpt-3.5-turbo-instruct+${plan}`, 'completions'),
  ),
  ...['ok', 'no-usage', 'status:500'].map((plan) =>
    aModel(`vector ${plan}`, `text-embedding-3-small+${plan}`, 'embeddings'),
  ),
];
/** Served by a channel that fails first, then by one that answers. */
const FAILING_OVER = ['reset-before-headers', 'status:503', 'reset-mid-body', 'ok-with-error-body'];
const RESCUED: readonly Model[] = FAILING_OVER.map((plan) =>
  aModel(`rescued ${plan}`, 'gpt-4o-mini', 'chat'),
);
const ALL: readonly Model[] = [...MODELS, ...RESCUED];

function aModel(name: string, upstream: string, endpoint: Model['endpoint']): Model {
  return { name: name.replaceAll(/[^\w.-]/g, '-'), upstream, endpoint };
}

/** One channel per model, to keep circuit breakers independent; all have the same price. */
export async function openModels(site: Site): Promise<void> {
  const each = (value: number) => Object.fromEntries(ALL.map(({ name }) => [name, value]));
  await site.option('ModelRatio', each(Number(RATIO_TENTHS) / 10));
  await site.option('CompletionRatio', each(3));
  for (const { name, upstream } of ALL) await addChannelFor(site, name, upstream, 0);
  for (const [index, { name }] of RESCUED.entries())
    await addChannelFor(site, name, `gpt-4o-mini+${FAILING_OVER[index]}`, 10);
}

async function addChannelFor(site: Site, models: string, upstream: string, priority: number) {
  const model_mapping = JSON.stringify({ [models]: upstream });
  await site.addChannel({ models, model_mapping, priority });
}

/** One call to make. A cancelled call is left after `leaving` milliseconds. */
export interface Call {
  readonly model: Model;
  readonly body: Readonly<Record<string, unknown>>;
  readonly leaving: number | undefined;
  /** From 0 to 1. Above a half the caller waits between the chunks that it reads. */
  readonly slowness: number;
}

/**
 * Calls in a random order. The mix is the same for every seed: in four calls of a model two are
 * streamed and one is cancelled.
 */
export function randomCalls(count: number, random: () => number): Call[] {
  const calls = Array.from({ length: count }, (_, index) => {
    const position = index % ALL.length;
    const round = Math.floor(index / ALL.length);
    const isLeft = (position + round) % 4 === 3;
    return {
      model: ALL[position] as Model,
      body: bodyFor(ALL[position] as Model, round % 2 === 0, random),
      leaving: isLeft ? random() * 60 : undefined,
      slowness: isLeft ? random() : 0,
    };
  });
  return calls
    .map((call) => ({ call, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ call }) => call);
}

/** Makes one call and reads its answer to the end, unless it is cancelled. */
export async function makeCall(site: Site, token: SiteToken, call: Call): Promise<Seen> {
  const { model, body, leaving } = call;
  const base = { model, body, userId: token.user_id };
  const cancellation = new AbortController();
  const timer = leaving === undefined ? undefined : setTimeout(() => cancellation.abort(), leaving);
  let requestId = '';
  try {
    const answer = await site.start({
      path: PATHS[model.endpoint],
      body,
      key: token.key,
      signal: cancellation.signal,
    });
    requestId = answer.requestId;
    const text = await readSlowly(answer, call.slowness, cancellation);
    return { ...base, requestId, ...outcomeOf(answer.status, text, body.stream === true) };
  } catch (error) {
    if (!cancellation.signal.aborted) throw error;
    return { ...base, requestId, outcome: 'left', text: '' };
  } finally {
    clearTimeout(timer);
  }
}

const PATHS = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
} as const;

function bodyFor(
  { name, endpoint }: Model,
  stream: boolean,
  random: () => number,
): Record<string, unknown> {
  const text = `Say ${'something '.repeat(1 + Math.floor(random() * 12))}of ${Math.floor(random() * 1e6)}`;
  if (endpoint === 'embeddings') return { model: name, input: text };
  const wantsUsage = random() < 0.5;
  return {
    model: name,
    ...(endpoint === 'chat' ? { messages: [{ role: 'user', content: text }] } : { prompt: text }),
    ...(stream ? { stream } : {}),
    ...(stream && wantsUsage ? { stream_options: { include_usage: true } } : {}),
  };
}

/** Reads slowly at times, to cancel calls at every stage of their answer. */
async function readSlowly(
  { body }: OpenAnswer,
  slowness: number,
  cancellation: AbortController,
): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body) {
    parts.push(part);
    if (slowness > 0.5) await pause(slowness * 10, undefined, { signal: cancellation.signal });
  }
  return Buffer.concat(parts).toString();
}

function outcomeOf(
  status: number,
  text: string,
  stream: boolean,
): { outcome: CallOutcome; text: string } {
  if (status !== 200) return { outcome: 'refused', text };
  if (!stream) return { outcome: 'complete', text };
  if (!text.endsWith('data: [DONE]\n\n'))
    throw new Error(`a stream without its end: ${text.slice(-200)}`);
  return { outcome: text.includes('data: {"error":') ? 'broken' : 'complete', text };
}
