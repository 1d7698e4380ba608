/** Named plans for failing responses: refused at the start, or broken on the way. */
import { type Plan, REFUSAL_STYLES, type RefusalStyle } from './plan.ts';
import { type Given, PlanError, type Preset } from './preset.ts';

const ANSWERED_OK_STYLES: readonly RefusalStyle[] = ['baidu', 'minimax', 'tencent'];

/** Vendors with these styles return 200 and put the error in the body. */
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

export const ERRORS = {
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
  'empty-object': {
    means: 'HTTP 200 with {}, or a stream of {} and [DONE]',
    plan: () => ({ nonAnswer: 'object' }),
  },
  'html-answer': {
    means: 'HTTP 200 with a web page, whatever was asked',
    plan: () => ({ nonAnswer: 'page' }),
  },
  'error-words': {
    means: 'HTTP 200 with an error in plain words, in a stream followed by [DONE]',
    plan: () => ({ nonAnswer: 'words' }),
  },
  'empty-answer': {
    means: 'an answer of the right form without content and usage',
    plan: () => ({ text: '', usage: 'none' }),
  },
  'early-error': {
    means: 'early-error[:ms]: 200 headers at once, the error later in the body',
    plan: ({ count }) => ({ ...styled('inband', 200), headPauseMs: count(0, 20) }),
  },
} as const satisfies Record<string, Preset>;

function broken(ending: NonNullable<Plan['fault']>['ending'], fallback: number) {
  return ({ count }: Given): Plan => ({ fault: { ending, after: count(0, fallback) } });
}

export const FAULTS = {
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
