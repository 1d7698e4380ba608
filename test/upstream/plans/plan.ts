/**
 * A plan defines the behaviour of one call. All settings are independent, so plans can be combined.
 * A plan comes from a test (`script`), a header, or the end of a model name.
 */
import * as z from 'zod/mini';

const Milliseconds = z.number().check(z.nonnegative(), z.lte(3_600_000));
const Count = z.int().check(z.nonnegative(), z.lte(1_000_000));

/** Error formats of vendors and proxies. */
export const REFUSAL_STYLES = [
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'inband',
  'html',
  'empty',
  'sse',
  'array',
  'detail',
  'string',
  'message',
  'msg',
  'errors',
  'baidu',
  'minimax',
  'tencent',
  'dashscope',
  'aws',
  'oauth',
] as const;

const Refusal = z.strictObject({
  status: z.int().check(z.gte(200), z.lte(599)),
  style: z.optional(z.enum(REFUSAL_STYLES)),
  type: z.optional(z.nullable(z.string())),
  code: z.optional(z.nullable(z.string())),
  param: z.optional(z.nullable(z.string())),
  message: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.coerce.string())),
});

const Fault = z.strictObject({
  /**
   * What happens at the break: silence, TCP reset, FIN before the end of the body, a normal end, an
   * error frame, an invalid frame, or half a frame (the last three are followed by a normal end).
   */
  ending: z.enum(['hang', 'reset', 'drop', 'end', 'error', 'garbage', 'truncate']),
  /**
   * Events written before it, at most those before the first finish_reason; a non-streamed body
   * breaks at half.
   */
  after: z.union([Count, z.literal('head'), z.literal('half')]),
});

const Framing = z.strictObject({
  newline: z.optional(z.enum(['lf', 'crlf', 'cr'])),
  /** Adds a space after `data:` (default true). */
  space: z.optional(z.boolean()),
  /** Sends one `data:` line per line of indented JSON. */
  multiline: z.optional(z.boolean()),
  bom: z.optional(z.boolean()),
  /** Adds `: keep-alive` comments and extra blank lines between events. */
  comments: z.optional(z.boolean()),
  /** Adds `id:` and `retry:` before, `event:` after the data line. */
  fields: z.optional(z.boolean()),
  /** Sends the final `[DONE]` (default true). */
  done: z.optional(z.boolean()),
  /** Ends the last event with a line break (default true). */
  tail: z.optional(z.boolean()),
});

export const PlanSchema = z.strictObject({
  /** Pause before the status line. */
  delayMs: z.optional(Milliseconds),
  /** Sends headers alone, then pauses. */
  headPauseMs: z.optional(Milliseconds),
  /** Pause between two writes: events of a stream, parts of a non-streamed body. */
  chunkDelayMs: z.optional(Milliseconds),
  /** The response has this many text events, regardless of the request. */
  events: z.optional(Count),
  /** Characters per text event (default: the length of the word). */
  eventBytes: z.optional(Count),
  /** The response text instead of the echo. */
  text: z.optional(z.string()),
  /** The response text has this many MiB in a single event. */
  megabytes: z.optional(z.number().check(z.positive(), z.lte(512))),
  /** Ends with a refusal by the model, or with content cut by a filter. */
  finish: z.optional(z.enum(['refusal', 'content_filter'])),
  /** An error response instead of a completion. */
  refuse: z.optional(Refusal),
  /**
   * A body with status 200 that is not a response of any dialect: `{}`, a web page, a plain-text
   * error.
   */
  nonAnswer: z.optional(z.enum(['object', 'page', 'words'])),
  fault: z.optional(Fault),
  /** Waits for `release()` before the headers, or after this many writes, then continues. */
  hold: z.optional(z.union([Count, z.literal('head')])),
  /** Bytes per TCP write, or `characters`: every write ends inside a multibyte character. */
  split: z.optional(z.union([z.int().check(z.positive()), z.literal('characters')])),
  framing: z.optional(Framing),
  usage: z.optional(
    z.enum(['none', 'null', 'on-choice', 'every-chunk', 'before-last', 'x-groq', 'double']),
  ),
  /** Recorded events to send instead of a response to the request (`replay.ts`). */
  replay: z.optional(z.array(z.string())),
  /** Polled tasks remain in progress. */
  stillRuns: z.optional(z.boolean()),
  /** Azure's late filter results: chunks whose choice has no delta. */
  asyncFilter: z.optional(z.boolean()),
  /** Returns a stream or a non-streamed body regardless of the request. */
  answerAs: z.optional(z.enum(['json', 'stream'])),
  contentType: z.optional(z.string()),
  gzip: z.optional(z.boolean()),
  /** Empty lines before the body. */
  blankLines: z.optional(Count),
  /** Writes a non-streamed body in this many parts. */
  parts: z.optional(z.int().check(z.positive())),
});

export type Plan = Readonly<z.output<typeof PlanSchema>>;
export type Refusal = Readonly<z.output<typeof Refusal>>;
export type Fault = Readonly<z.output<typeof Fault>>;
export type Framing = Readonly<z.output<typeof Framing>>;
export type RefusalStyle = (typeof REFUSAL_STYLES)[number];
export type UsageMode = NonNullable<Plan['usage']>;

/** Settings of `over` take precedence; framing is merged one level deeper. */
export function layPlan(under: Plan, over: Plan): Plan {
  return { ...under, ...over, framing: { ...under.framing, ...over.framing } };
}
