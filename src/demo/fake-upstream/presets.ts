/**
 * Plans by name, for curl and SDKs: `events:200`, `crlf+split:1`, `rate-limit:2`. Arguments follow
 * the name after colons; several names are joined with `+`.
 */
import { type Plan, REFUSAL_STYLES, type RefusalStyle } from './plan.ts';

/** Thrown for a plan that does not exist or does not parse; the message is meant for the tester. */
export class PlanError extends Error {}

export interface Preset {
  readonly means: string;
  /** `count(i, fallback)` is the i-th argument as a number, `word` the same as text. */
  readonly plan: (given: Given) => Plan;
}

export interface Given {
  readonly count: (place: number, fallback: number) => number;
  readonly word: (place: number, fallback: string) => string;
}

const ANSWERED_OK_STYLES: readonly RefusalStyle[] = ['baidu', 'minimax', 'tencent'];

/** Vendors of these styles answer 200 and put the failure in the body. */
function usualStatus(style: RefusalStyle): number {
  return ANSWERED_OK_STYLES.includes(style) ? 200 : 500;
}

function styleNamed(name: string): RefusalStyle {
  const style = REFUSAL_STYLES.find((known) => known === name);
  if (style === undefined) {
    throw new PlanError(`unknown error style "${name}"; known: ${REFUSAL_STYLES.join(', ')}`);
  }
  return style;
}

function styled(style: RefusalStyle, status: number): Plan {
  return { refuse: { status, style } };
}

const MULTIBYTE_TEXT = 'Grüße 世界 🌍 こんにちは 👩‍🚀 Ελλάδα 🎉 안녕하세요 ✅ done';

const ERRORS = {
  status: {
    means: 'status:<n>: an error answer in the OpenAI shape',
    plan: ({ count }) => ({ refuse: { status: count(0, 500) } }),
  },
  'rate-limit': {
    means: 'rate-limit[:seconds]: 429 with Retry-After',
    plan: ({ count }) => ({
      refuse: { status: 429, headers: { 'retry-after': String(count(0, 1)) } },
    }),
  },
  'rate-limit-ms': {
    means: 'rate-limit-ms[:ms]: 429 with retry-after-ms',
    plan: ({ count }) => ({
      refuse: { status: 429, headers: { 'retry-after-ms': String(count(0, 50)) } },
    }),
  },
  'insufficient-quota': {
    means: '429 insufficient_quota: the key is out of money, repeating is useless',
    plan: () => ({
      refuse: {
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      },
    }),
  },
  'invalid-key': { means: '401 invalid_api_key', plan: () => ({ refuse: { status: 401 } }) },
  'key-deactivated': {
    means: '403 account_deactivated',
    plan: () => ({
      refuse: {
        status: 403,
        type: 'permission_error',
        code: 'account_deactivated',
        message: 'The account associated with this key has been deactivated.',
      },
    }),
  },
  'model-not-found': { means: '404 model_not_found', plan: () => ({ refuse: { status: 404 } }) },
  'context-length': {
    means: '400 context_length_exceeded',
    plan: () => ({
      refuse: {
        status: 400,
        code: 'context_length_exceeded',
        param: 'messages',
        message: "This model's maximum context length is 128000 tokens.",
      },
    }),
  },
  'azure-filter': {
    means: '400 content_filter with innererror, as Azure words it',
    plan: () => styled('azure', 400),
  },
  'html-error': {
    means: 'html-error[:status]: the page of a proxy in between',
    plan: ({ count }) => styled('html', count(0, 502)),
  },
  'empty-error': {
    means: 'empty-error[:status]: no body at all',
    plan: ({ count }) => styled('empty', count(0, 500)),
  },
  'sse-error': {
    means: 'sse-error[:status]: the error body is an SSE event',
    plan: ({ count }) => styled('sse', count(0, 500)),
  },
  'array-error': {
    means: 'array-error[:status]: [{"error":..}]',
    plan: ({ count }) => styled('array', count(0, 400)),
  },
  'detail-error': {
    means: 'detail-error[:status]: {"detail":[..]} with 422, {"detail":".."} else',
    plan: ({ count }) => styled('detail', count(0, 422)),
  },
  'error-style': {
    means: `error-style:<style>[:status], style one of ${REFUSAL_STYLES.join(', ')}`,
    plan: ({ word, count }) => {
      const style = styleNamed(word(0, 'openai'));
      return styled(style, count(1, usualStatus(style)));
    },
  },
  'ok-with-error-body': {
    means: 'HTTP 200 whose body (or only event) is an error',
    plan: () => styled('inband', 200),
  },
  'early-error': {
    means: 'early-error[:ms]: 200 headers at once, the error later in the body',
    plan: ({ count }) => ({ ...styled('inband', 200), headPauseMs: count(0, 20) }),
  },
} as const satisfies Record<string, Preset>;

function broken(ending: NonNullable<Plan['fault']>['ending'], fallback: number) {
  return ({ count }: Given): Plan => ({ fault: { ending, after: count(0, fallback) } });
}

const FAULTS = {
  'hang-headers': {
    means: 'reads the request and never answers',
    plan: () => ({ fault: { ending: 'hang', after: 'head' } }),
  },
  'reset-before-headers': {
    means: 'TCP reset instead of an answer',
    plan: () => ({ fault: { ending: 'reset', after: 'head' } }),
  },
  'reset-mid-body': {
    means: 'TCP reset after half of the bytes',
    plan: () => ({ fault: { ending: 'reset', after: 'half' } }),
  },
  'hang-stream': { means: 'hang-stream[:n]: n events, then silence', plan: broken('hang', 3) },
  'reset-stream': { means: 'reset-stream[:n]: n events, then TCP reset', plan: broken('reset', 3) },
  'drop-stream': {
    means: 'drop-stream[:n]: n events, then FIN without the end of the body',
    plan: broken('drop', 3),
  },
  'end-stream-early': {
    means: 'end-stream-early[:n]: n events, then a clean end without finish_reason',
    plan: broken('end', 3),
  },
  'error-mid-stream': {
    means: 'error-mid-stream[:n]: n events, then an error event',
    plan: broken('error', 3),
  },
  'garbage-json': {
    means: 'garbage-json[:n]: n events, then nonsense',
    plan: broken('garbage', 3),
  },
  'truncated-json': {
    means: 'truncated-json[:n]: n events, then half an event',
    plan: broken('truncate', 3),
  },
} as const satisfies Record<string, Preset>;

const PACE = {
  ok: { means: 'the normal answer', plan: () => ({}) },
  delay: {
    means: 'delay:<ms> before the status line',
    plan: ({ count }) => ({ delayMs: count(0, 100) }),
  },
  'chunk-delay': {
    means: 'chunk-delay:<ms> between two events',
    plan: ({ count }) => ({ chunkDelayMs: count(0, 10) }),
  },
  events: {
    means: 'events:<n>[:characters]: an answer of n text events in a burst',
    plan: ({ count }) => ({ events: count(0, 200), eventBytes: count(1, 0) }),
  },
  paced: {
    means: 'paced:<n>[:ms[:characters]]: n text events, one every ms',
    plan: ({ count }) => ({
      events: count(0, 10),
      chunkDelayMs: count(1, 10),
      eventBytes: count(2, 0),
    }),
  },
  hold: {
    means: 'hold[:n]: after n writes (none: before the headers) waits for release()',
    plan: ({ count, word }) => ({ hold: word(0, '') === '' ? 'head' : count(0, 0) }),
  },
  'slow-body': {
    means: 'slow-body[:ms[:parts]]: a plain body in parts with pauses',
    plan: ({ count }) => ({ chunkDelayMs: count(0, 20), parts: count(1, 10) }),
  },
  'huge-event': {
    means: 'huge-event[:MiB]: the text in one line',
    plan: ({ count }) => ({ megabytes: count(0, 4) }),
  },
  'huge-body': {
    means: 'huge-body[:MiB]: a plain answer of that size',
    plan: ({ count }) => ({ megabytes: count(0, 16) }),
  },
} as const satisfies Record<string, Preset>;

const WIRE = {
  split: {
    means: 'split:<n>: n bytes per TCP write',
    plan: ({ count }) => ({ split: count(0, 1) }),
  },
  'split-multibyte': {
    means: 'text with emoji and CJK, every write ends inside a character',
    plan: () => ({ text: MULTIBYTE_TEXT, split: 'characters' }),
  },
  crlf: { means: 'CRLF line ends', plan: () => ({ framing: { newline: 'crlf' } }) },
  cr: { means: 'CR line ends', plan: () => ({ framing: { newline: 'cr' } }) },
  comments: {
    means: 'keep-alive comments and blank lines between events',
    plan: () => ({ framing: { comments: true } }),
  },
  'no-space': { means: 'data: without a space', plan: () => ({ framing: { space: false } }) },
  multiline: {
    means: 'several data: lines per event',
    plan: () => ({ framing: { multiline: true } }),
  },
  bom: {
    means: 'a byte order mark before the first event',
    plan: () => ({ framing: { bom: true } }),
  },
  'event-fields': {
    means: 'id:, retry: and event: beside the data line',
    plan: () => ({ framing: { fields: true } }),
  },
  'no-done': {
    means: 'the stream ends without [DONE]',
    plan: () => ({ framing: { done: false } }),
  },
  'no-tail': {
    means: 'no [DONE], and no line end after the last event',
    plan: () => ({ framing: { done: false, tail: false } }),
  },
  'stream-ignored': { means: 'a plain body to stream:true', plan: () => ({ answerAs: 'json' }) },
  'json-ignored': { means: 'a stream to stream:false', plan: () => ({ answerAs: 'stream' }) },
  'content-type': {
    means: 'content-type[:value]: a wrong content type',
    plan: ({ word }) => ({ contentType: word(0, 'text/plain; charset=utf-8') }),
  },
  gzip: { means: 'a gzip body, asked for or not', plan: () => ({ gzip: true }) },
  'blank-lines': {
    means: 'blank-lines[:n[:ms]]: empty lines before the body',
    plan: ({ count }) => ({ blankLines: count(0, 3), chunkDelayMs: count(1, 0) }),
  },
} as const satisfies Record<string, Preset>;

const CONTENT = {
  'no-usage': { means: 'usage is never reported', plan: () => ({ usage: 'none' }) },
  'usage-null': { means: 'usage is always null', plan: () => ({ usage: 'null' }) },
  'usage-on-choice': {
    means: 'usage on the chunk that carries finish_reason',
    plan: () => ({ usage: 'on-choice' }),
  },
  'usage-on-every-chunk': {
    means: 'usage so far on every chunk',
    plan: () => ({ usage: 'every-chunk' }),
  },
  'usage-before-last': {
    means: 'a usage chunk, then an empty chunk',
    plan: () => ({ usage: 'before-last' }),
  },
  'usage-x-groq': { means: 'usage inside x_groq only', plan: () => ({ usage: 'x-groq' }) },
  'double-usage': { means: 'the usage chunk twice', plan: () => ({ usage: 'double' }) },
  'missing-index': {
    means: 'streamed tool calls without index',
    plan: () => ({ missingToolIndex: true }),
  },
  'async-filter': {
    means: 'chunks with filter verdicts and no delta',
    plan: () => ({ asyncFilter: true }),
  },
  refusal: { means: 'the model refuses', plan: () => ({ finish: 'refusal' }) },
  'content-filter': {
    means: 'finish_reason content_filter',
    plan: () => ({ finish: 'content_filter' }),
  },
} as const satisfies Record<string, Preset>;

export const PRESETS: Readonly<Record<string, Preset>> = {
  ...PACE,
  ...ERRORS,
  ...FAULTS,
  ...WIRE,
  ...CONTENT,
};
