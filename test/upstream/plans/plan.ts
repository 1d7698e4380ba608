/**
 * A plan says how one call behaves: every knob is independent, so plans can be laid over each
 * other. A plan comes from a test (`script`), a header, or the end of a model name.
 */
import * as z from 'zod/mini';

const Milliseconds = z.number().check(z.nonnegative(), z.lte(3_600_000));
const Count = z.int().check(z.nonnegative(), z.lte(1_000_000));

/** The shapes in which vendors and proxies word a failure. */
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
  headers: z.optional(z.record(z.string(), z.string())),
});

const Fault = z.strictObject({
  /**
   * What happens at the break: silence, TCP reset, FIN without the end of the body, a clean end, an
   * error frame, a frame of nonsense, or half a frame (the last three followed by a clean end).
   */
  ending: z.enum(['hang', 'reset', 'drop', 'end', 'error', 'garbage', 'truncate']),
  /** Events written before it, at most those before the first finish_reason; a plain body breaks at half. */
  after: z.union([Count, z.literal('head'), z.literal('half')]),
});

const Framing = z.strictObject({
  newline: z.optional(z.enum(['lf', 'crlf', 'cr'])),
  /** A space after `data:` (default true). */
  space: z.optional(z.boolean()),
  /** One `data:` line for each line of indented JSON. */
  multiline: z.optional(z.boolean()),
  bom: z.optional(z.boolean()),
  /** `: keep-alive` comments and surplus blank lines between events. */
  comments: z.optional(z.boolean()),
  /** `id:` and `retry:` before, `event:` after the data line. */
  fields: z.optional(z.boolean()),
  /** The closing `[DONE]` (default true). */
  done: z.optional(z.boolean()),
  /** The line end after the very last event (default true). */
  tail: z.optional(z.boolean()),
});

export const PlanSchema = z.strictObject({
  /** Pause before the status line. */
  delayMs: z.optional(Milliseconds),
  /** Headers go out alone, then this pause. */
  headPauseMs: z.optional(Milliseconds),
  /** Pause between two writes: events of a stream, parts of a plain body. */
  chunkDelayMs: z.optional(Milliseconds),
  /** The answer is this many events of text, whatever was asked. */
  events: z.optional(Count),
  /** Characters of text in each of them (default: as short as the word). */
  eventBytes: z.optional(Count),
  /** The answer's text, instead of the echo. */
  text: z.optional(z.string()),
  /** The answer's text is this many MiB in a single event. */
  megabytes: z.optional(z.number().check(z.positive(), z.lte(512))),
  /** Answers as a refusal of the model, or with its content cut by a filter. */
  finish: z.optional(z.enum(['refusal', 'content_filter'])),
  /** An error answer instead of a completion. */
  refuse: z.optional(Refusal),
  /** A body with status 200 that is no answer of any dialect: `{}`, a web page, an error in plain words. */
  nonAnswer: z.optional(z.enum(['object', 'page', 'words'])),
  fault: z.optional(Fault),
  /** Waits for `release()` before the headers, or after so many writes, then goes on. */
  hold: z.optional(z.union([Count, z.literal('head')])),
  /** Bytes per TCP write, or `characters`: every write ends inside a multibyte character. */
  split: z.optional(z.union([z.int().check(z.positive()), z.literal('characters')])),
  framing: z.optional(Framing),
  usage: z.optional(
    z.enum(['none', 'null', 'on-choice', 'every-chunk', 'before-last', 'x-groq', 'double']),
  ),
  /** Events that were stored, instead of an answer to what was asked (`replay.ts`). */
  replay: z.optional(z.array(z.string())),
  /** Tasks that are asked about go on. */
  stillRuns: z.optional(z.boolean()),
  /** Leaves `index` out of streamed tool calls. */
  missingToolIndex: z.optional(z.boolean()),
  /** Azure's late filter verdicts: chunks whose choice has no delta. */
  asyncFilter: z.optional(z.boolean()),
  /** Answers a stream or a plain body, whatever was asked. */
  answerAs: z.optional(z.enum(['json', 'stream'])),
  contentType: z.optional(z.string()),
  gzip: z.optional(z.boolean()),
  /** Empty lines before the body. */
  blankLines: z.optional(Count),
  /** A plain body is written in this many parts. */
  parts: z.optional(z.int().check(z.positive())),
});

export type Plan = Readonly<z.output<typeof PlanSchema>>;
export type Refusal = Readonly<z.output<typeof Refusal>>;
export type Fault = Readonly<z.output<typeof Fault>>;
export type Framing = Readonly<z.output<typeof Framing>>;
export type RefusalStyle = (typeof REFUSAL_STYLES)[number];
export type UsageMode = NonNullable<Plan['usage']>;

/** `over` wins knob by knob; framing is merged one level deeper. */
export function layPlan(under: Plan, over: Plan): Plan {
  return { ...under, ...over, framing: { ...under.framing, ...over.framing } };
}
