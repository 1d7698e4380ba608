/**
 * A response as it will be written: head, pieces (one write each) and its end. All content faults
 * are applied here, so that sending involves only timing.
 */
import { gzipSync } from 'node:zlib';
import type { Usage } from '../content/usage.ts';
import type { Fault, Framing, Plan, Refusal } from '../plans/plan.ts';
import type { Chunk } from './chunk.ts';
import { detailOf, errorBody, errorObject } from './error-bodies.ts';
import { bytesOf, cut, recut } from './pieces.ts';
import { frameTexts } from './sse-frames.ts';
import { type BinaryWire, OPENAI_WIRE, type Wire } from './wires.ts';

export type Ending = 'end' | 'hang' | 'reset' | 'drop';

/** How a response is counted once it is written to its end. */
export type Outcome = 'servedInFull' | 'refused' | 'brokenByPlan';

export interface Answer {
  /** Undefined if the call breaks before any header. */
  readonly head: { readonly status: number; readonly headers: Record<string, string> } | undefined;
  readonly pieces: readonly Buffer[];
  readonly ending: Ending;
  readonly outcome: Outcome;
  /** Usage contained in the complete response. */
  readonly usage: Usage | undefined;
  readonly streamed: boolean;
  /** Sends each piece as a separate TCP write. */
  readonly flushEach: boolean;
}

const USUAL_HEADERS = {
  'openai-version': '2020-10-01',
  'openai-processing-ms': '12',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-limit-tokens': '2000000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-remaining-tokens': '1999000',
  'x-ratelimit-reset-requests': '6ms',
  'x-ratelimit-reset-tokens': '30ms',
} as const;

const STREAM_HEADERS = { ...USUAL_HEADERS, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

const ENDINGS = {
  hang: 'hang',
  reset: 'reset',
  drop: 'drop',
  end: 'end',
  error: 'end',
  garbage: 'end',
  truncate: 'end',
} as const satisfies Record<Fault['ending'], Ending>;

const SERVER_ERROR: Refusal = { status: 500 };
const GZIP_WRITE_BYTES = 1024;

/** No response: silence or a broken connection instead of the headers. */
export function silentAnswer(fault: Fault): Answer {
  return {
    head: undefined,
    pieces: [],
    ending: ENDINGS[fault.ending] === 'hang' ? 'hang' : 'reset',
    outcome: 'brokenByPlan',
    usage: undefined,
    streamed: false,
    flushEach: false,
  };
}

/** An error response. In-band errors use the requested form: JSON or one event. */
export function refusalAnswer(refusal: Refusal, plan: Plan, streamed: boolean): Answer {
  const { contentType, text } = errorBody(refusal);
  const { status, headers } = refusal;
  if (streamed && refusal.style === 'inband') {
    const frames = frameTexts([errorObject(detailOf(refusal))], { ...plan.framing, done: false });
    return finished(frames.map(bytesOf), plan, {
      status,
      headers: {
        ...STREAM_HEADERS,
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
      },
      outcome: 'refused',
      streamed: true,
    });
  }
  return plainAnswer(
    text,
    { ...plan, fault: undefined },
    {
      status,
      headers: { ...headers, 'content-type': contentType },
      outcome: 'refused',
    },
  );
}

const NON_ANSWERS = {
  object: { text: '{}', contentType: 'application/json' },
  page: {
    text: '<!DOCTYPE html><html><body>Under maintenance</body></html>',
    contentType: 'text/html',
  },
  words: { text: 'error: quota exceeded', contentType: 'text/plain' },
} as const;

/**
 * Status 200 without a valid response of any dialect. A stream request gets the web page without
 * events.
 */
export function nonAnswer(
  kind: NonNullable<Plan['nonAnswer']>,
  plan: Plan,
  streamed: boolean,
): Answer {
  const { text, contentType } = NON_ANSWERS[kind];
  const label = { status: 200, outcome: 'brokenByPlan' } as const;
  if (!streamed || kind === 'page')
    return plainAnswer(text, plan, { ...label, headers: { 'content-type': contentType } });
  const events = [text, '[DONE]'].map((data) => bytesOf(`data: ${data}\n\n`));
  const headers = { ...STREAM_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' };
  return finished(events, plan, { ...label, headers, streamed: true });
}

/** A JSON response with status 200, broken as planned. */
export function jsonAnswer(value: unknown, plan: Plan, usage?: Usage): Answer {
  if (plan.fault?.ending === 'error') return refusalAnswer(SERVER_ERROR, plan, false);
  return plainAnswer(JSON.stringify(value), plan, {
    status: 200,
    headers: { 'content-type': 'application/json' },
    outcome: plan.fault === undefined ? 'servedInFull' : 'brokenByPlan',
    usage,
  });
}

interface Label {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly outcome: Outcome;
  readonly usage?: Usage | undefined;
  readonly streamed?: boolean;
}

/** Audio, images and plain text with status 200, broken as planned. */
export function bytesAnswer(bytes: Buffer, plan: Plan, contentType: string): Answer {
  return plainAnswer(bytes, plan, {
    status: 200,
    headers: { 'content-type': contentType },
    outcome: plan.fault === undefined ? 'servedInFull' : 'brokenByPlan',
  });
}

function plainAnswer(body: string | Buffer, plan: Plan, label: Label): Answer {
  const whole = typeof body === 'string' ? bytesOf(body) : body;
  const { bytes, promised } = brokenBody(plan.gzip ? gzipSync(whole) : whole, plan.fault);
  const size = promised + (plan.blankLines ?? 0);
  const headers = {
    ...USUAL_HEADERS,
    ...label.headers,
    'content-length': String(size),
    ...(plan.gzip ? { 'content-encoding': 'gzip' } : {}),
  };
  const parts = cut(bytes, Math.ceil(bytes.length / (plan.parts ?? 1)));
  return finished(parts, plan, { ...label, headers });
}

/** `promised` is the declared length: more than `bytes` if the connection breaks. */
function brokenBody(
  whole: Buffer,
  fault: Fault | undefined,
): { readonly bytes: Buffer; readonly promised: number } {
  if (fault === undefined) return { bytes: whole, promised: whole.length };
  const half = whole.subarray(0, whole.length / 2);
  if (ENDINGS[fault.ending] !== 'end') return { bytes: half, promised: whole.length };
  const bytes = fault.ending === 'garbage' ? Buffer.concat([half, bytesOf('\u0000<oops>')]) : half;
  return { bytes, promised: bytes.length };
}

/** An event stream with status 200. `usage` is the usage in its events. */
export function streamAnswer(
  chunks: readonly Chunk[],
  plan: Plan,
  usage: Usage | undefined,
  wire: Wire = OPENAI_WIRE,
): Answer {
  const { binary } = wire;
  const whole =
    binary === undefined
      ? brokenFrames(chunks, plan, wire).map(bytesOf)
      : brokenBinary(chunks, plan, binary);
  const frames = plan.gzip ? cut(gzipSync(Buffer.concat(whole)), GZIP_WRITE_BYTES) : whole;
  return finished(frames, plan, {
    status: 200,
    headers: {
      ...STREAM_HEADERS,
      'content-type': binary?.contentType ?? textTypeOf(wire),
      ...(plan.gzip ? { 'content-encoding': 'gzip' } : {}),
    },
    outcome: plan.fault === undefined ? 'servedInFull' : 'brokenByPlan',
    usage,
    streamed: true,
  });
}

function textTypeOf({ lines }: Wire): string {
  return lines ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8';
}

function brokenFrames(chunks: readonly Chunk[], plan: Plan, wire: Wire): string[] {
  const framing = { ...(wire.done ? {} : { done: false }), ...plan.framing };
  const bodies = chunks.map((chunk) => chunk.body);
  const write = (values: readonly object[], how: Framing) =>
    wire.lines
      ? values.map((value) => `${JSON.stringify(value)}\n`)
      : frameTexts(values, how, wire.named);
  const frames = write(bodies, framing);
  if (plan.fault === undefined) return frames;
  const { ending } = plan.fault;
  const kept = framesKept(chunks, plan.fault);
  const next = frames[kept] ?? '';
  const last = {
    error: () => write([wire.error], { ...framing, done: false, bom: false }),
    garbage: () => ['data: {"id": oops, not json\n\n'],
    truncate: () => [`${next.slice(0, next.length / 2)}\n\n`],
    hang: () => [],
    reset: () => [],
    drop: () => [],
    end: () => [],
  } satisfies Record<Fault['ending'], () => string[]>;
  return [...frames.slice(0, kept), ...last[ending]()];
}

/** Never includes the frame with the finish reason. */
function framesKept(chunks: readonly Chunk[], { after }: Fault): number {
  const finish = chunks.findIndex((chunk) => chunk.finishes);
  return Math.min(typeof after === 'number' ? after : Math.floor(chunks.length / 2), finish);
}

function brokenBinary(chunks: readonly Chunk[], plan: Plan, wire: BinaryWire): Buffer[] {
  const frames = chunks.map(({ body }) => wire.frame(body));
  if (plan.fault === undefined) return frames;
  const kept = framesKept(chunks, plan.fault);
  const next = frames[kept] ?? Buffer.alloc(0);
  const last = {
    error: () => [wire.error()],
    // One bit is flipped, which only the checksum reveals.
    garbage: () => [Buffer.from(next.with(20, (next[20] ?? 0) ^ 1))],
    truncate: () => [next.subarray(0, next.length / 2)],
    hang: () => [],
    reset: () => [],
    drop: () => [],
    end: () => [],
  } satisfies Record<Fault['ending'], () => Buffer[]>;
  return [...frames.slice(0, kept), ...last[plan.fault.ending]()];
}

/** Applies what concerns every response: content type, blank lines and the split into writes. */
function finished(body: readonly Buffer[], plan: Plan, label: Label): Answer {
  const blank = Array.from({ length: plan.blankLines ?? 0 }, () => bytesOf('\n'));
  const headers = plan.contentType
    ? { ...label.headers, 'content-type': plan.contentType }
    : label.headers;
  return {
    head: { status: label.status, headers },
    pieces: recut([...blank, ...body], plan.split),
    ending:
      plan.fault === undefined || label.outcome === 'refused' ? 'end' : ENDINGS[plan.fault.ending],
    outcome: label.outcome,
    usage: label.usage,
    streamed: label.streamed ?? false,
    flushEach: plan.split !== undefined,
  };
}
