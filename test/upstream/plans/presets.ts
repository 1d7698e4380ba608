/**
 * Plans by name, for curl and SDKs: `events:200`, `crlf+split:1`, `rate-limit:2`. Arguments follow
 * the name after colons and replace fields of the plan in turn; several names are joined with `+`.
 */
import type { Fault, Plan, Refusal } from './plan.ts';

/** A plan, and the paths of the fields that arguments replace. */
type Preset = readonly [plan: Plan, ...fields: string[]];

const MULTIBYTE_TEXT = 'Grüße 世界 🌍 こんにちは 👩‍🚀 Ελλάδα 🎉 안녕하세요 ✅ done';

const PACE = {
  ok: [{}],
  delay: [{ delayMs: 100 }, 'delayMs'],
  'chunk-delay': [{ chunkDelayMs: 10 }, 'chunkDelayMs'],
  events: [{ events: 200, eventBytes: 0 }, 'events', 'eventBytes'],
  paced: [{ events: 10, chunkDelayMs: 10, eventBytes: 0 }, 'events', 'chunkDelayMs', 'eventBytes'],
  hold: [{ hold: 'head' }, 'hold'],
  /** A plain body. */
  'slow-body': [{ chunkDelayMs: 20, parts: 10 }, 'chunkDelayMs', 'parts'],
  'huge-event': [{ megabytes: 4 }, 'megabytes'],
  /** A plain answer of that size. */
  'huge-body': [{ megabytes: 16 }, 'megabytes'],
} as const satisfies Record<string, Preset>;

function refused(refuse: Refusal): Preset {
  return [{ refuse }, 'refuse.status'];
}

/** 429 with such a header. */
function limited(header: string, value: string): Preset {
  return [{ refuse: { status: 429, headers: { [header]: value } } }, `refuse.headers.${header}`];
}

/** Refused at the start. */
const ERRORS = {
  status: refused({ status: 500 }),
  'rate-limit': limited('retry-after', '1'),
  'rate-limit-ms': limited('retry-after-ms', '50'),
  /** The key is out of money, so that repeating is useless. */
  'insufficient-quota': refused({
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  }),
  'invalid-key': refused({ status: 401 }),
  'key-deactivated': refused({
    status: 403,
    type: 'permission_error',
    code: 'account_deactivated',
    message: 'The account associated with this key has been deactivated.',
  }),
  'model-not-found': refused({ status: 404 }),
  'context-length': refused({
    status: 400,
    code: 'context_length_exceeded',
    param: 'messages',
    message: "This model's maximum context length is 128000 tokens.",
  }),
  'azure-filter': refused({ status: 400, style: 'azure' }),
  'html-error': refused({ status: 502, style: 'html' }),
  'empty-error': refused({ status: 500, style: 'empty' }),
  'sse-error': refused({ status: 500, style: 'sse' }),
  'array-error': refused({ status: 400, style: 'array' }),
  'detail-error': refused({ status: 422, style: 'detail' }),
  'error-style': [{ refuse: { style: 'openai', status: 500 } }, 'refuse.style', 'refuse.status'],
  'ok-with-error-body': refused({ status: 200, style: 'inband' }),
  'empty-object': [{ nonAnswer: 'object' }],
  'html-answer': [{ nonAnswer: 'page' }],
  'error-words': [{ nonAnswer: 'words' }],
  /** Of the right form. */
  'empty-answer': [{ text: '', usage: 'none' }],
  /** The headers are sent at once, the error is later in the body. */
  'early-error': [{ refuse: { status: 200, style: 'inband' }, headPauseMs: 20 }, 'headPauseMs'],
} as const satisfies Record<string, Preset>;

function broken(ending: Fault['ending'], after: Fault['after'] = 3): Preset {
  return [{ fault: { ending, after } }, 'fault.after'];
}

/** Broken on the way. */
const FAULTS = {
  'hang-headers': broken('hang', 'head'),
  'reset-before-headers': broken('reset', 'head'),
  'reset-mid-body': broken('reset', 'half'),
  'hang-stream': broken('hang'),
  'reset-stream': broken('reset'),
  'drop-stream': broken('drop'),
  'end-stream-early': broken('end'),
  'error-mid-stream': broken('error'),
  'garbage-json': broken('garbage'),
  'truncated-json': broken('truncate'),
} as const satisfies Record<string, Preset>;

const WIRE = {
  split: [{ split: 1 }, 'split'],
  'split-multibyte': [{ text: MULTIBYTE_TEXT, split: 'characters' }],
  crlf: [{ framing: { newline: 'crlf' } }],
  cr: [{ framing: { newline: 'cr' } }],
  comments: [{ framing: { comments: true } }],
  'no-space': [{ framing: { space: false } }],
  multiline: [{ framing: { multiline: true } }],
  bom: [{ framing: { bom: true } }],
  'event-fields': [{ framing: { fields: true } }],
  'no-done': [{ framing: { done: false } }],
  'no-tail': [{ framing: { done: false, tail: false } }],
  'stream-ignored': [{ answerAs: 'json' }],
  'json-ignored': [{ answerAs: 'stream' }],
  /** A wrong one. */
  'content-type': [{ contentType: 'text/plain; charset=utf-8' }, 'contentType'],
  gzip: [{ gzip: true }],
  'blank-lines': [{ blankLines: 3, chunkDelayMs: 0 }, 'blankLines', 'chunkDelayMs'],
} as const satisfies Record<string, Preset>;

const CONTENT = {
  'no-usage': [{ usage: 'none' }],
  'usage-null': [{ usage: 'null' }],
  'usage-on-choice': [{ usage: 'on-choice' }],
  'usage-on-every-chunk': [{ usage: 'every-chunk' }],
  'usage-before-last': [{ usage: 'before-last' }],
  'usage-x-groq': [{ usage: 'x-groq' }],
  'double-usage': [{ usage: 'double' }],
  'async-filter': [{ asyncFilter: true }],
  'still-runs': [{ stillRuns: true }],
  refusal: [{ finish: 'refusal' }],
  'content-filter': [{ finish: 'content_filter' }],
} as const satisfies Record<string, Preset>;

export const PRESETS: Readonly<Record<string, Preset>> = {
  ...PACE,
  ...ERRORS,
  ...FAULTS,
  ...WIRE,
  ...CONTENT,
};
