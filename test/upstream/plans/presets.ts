/**
 * Plans by name, for curl and SDKs: `events:200`, `crlf+split:1`, `rate-limit:2`. Arguments follow
 * the name after colons; several names are joined with `+`.
 */
import { ERRORS, FAULTS } from './failing-presets.ts';
import type { Preset } from './preset.ts';

const MULTIBYTE_TEXT = 'Grüße 世界 🌍 こんにちは 👩‍🚀 Ελλάδα 🎉 안녕하세요 ✅ done';

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
  'async-filter': {
    means: 'chunks with filter verdicts and no delta',
    plan: () => ({ asyncFilter: true }),
  },
  'still-runs': { means: 'a task that is asked about goes on', plan: () => ({ stillRuns: true }) },
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
