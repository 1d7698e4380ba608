/** Suno proxies (channel type 36): songs and lyrics. */
import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
import { TASK_STATUSES } from '../../domain/statuses.ts';
import type { TaskOutcome } from '../../domain/task.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { optionalText, progressColumn, requiredId, requiredText } from './fields.ts';
import {
  idsOf,
  type SubmitAnswer,
  type TaskPlan,
  type TaskProvider,
  type TaskRefusal,
  type TaskReport,
} from './task-provider.ts';

const DEFAULT_VERSION = 'chirp-v3-0';
const USUAL_PRICES_USD: Readonly<Record<string, number>> = { MUSIC: 0.1, LYRICS: 0.01 };

export const suno: TaskProvider = {
  platform: 'suno',
  table: 'tasks',
  channelTypes: [36],
  prefixes: ['/suno'],
  routes: [
    { does: 'submit', method: 'POST', path: '/submit/:action' },
    { does: 'list', method: 'POST', path: '/fetch' },
    { does: 'fetch', method: 'GET', path: '/fetch/:id' },
  ],
  submitting: { status: '', progress: '0%' },
  lifetimeSec: 3 * 3600,

  auth: (key) => ({ authorization: `Bearer ${key}` }),
  plan: ({ name, body }) => planSong(name, body),
  buildSubmit: (plan, { originUpstreamId }) => ({
    method: 'POST',
    path: plan.path,
    body: originUpstreamId === '' ? plan.body : { ...plan.body, task_id: originUpstreamId },
  }),
  readSubmit: (_plan, { status, json }) => {
    const isItsOwn = (status >= 200 && status < 300) || status === 400;
    return isItsOwn && isObject(json) && typeof json.code === 'string'
      ? readSubmit(json)
      : undefined;
  },

  poll: {
    batch: 100,
    build: (tasks) => ({ method: 'POST', path: '/suno/fetch', body: { ids: idsOf(tasks) } }),
    read: (json) => objectsIn(json, 'data').flatMap((item) => readSong(item) ?? []),
    isAnswer: (json) => isObject(json) && json.code === 'success',
  },

  shown: shownSong,
  one: (data) => ({ code: 'success', message: '', data }),
  many: (data) => ({ code: 'success', message: '', data }),
  refusal: (refusal) => ({
    status: refusal.code === 'task_not_exist' ? 400 : refusal.status,
    body: { code: refusalCode(refusal), message: refusal.message, data: null },
  }),
};

const SHORT_OF_QUOTA: ReadonlySet<string> = new Set([
  'insufficient_user_quota',
  'pre_consume_token_quota_failed',
]);

/** Clients of the proxies compare these codes. */
function refusalCode({ type, code }: TaskRefusal): string {
  if (SHORT_OF_QUOTA.has(code)) return 'quota_not_enough';
  return type === 'upstream_error' ? 'fail_to_fetch_task' : code;
}

function planSong(name: string, sent: JsonObject): TaskPlan {
  const action = name.toUpperCase();
  const usualPrice = USUAL_PRICES_USD[action];
  if (usualPrice === undefined)
    throw wrongField('action', 'not_choice', { choices: 'music, lyrics' });
  if (action === 'LYRICS') requiredText(sent, 'prompt');
  const originId = originIdOf(sent);
  const input = optionalText(sent, 'gpt_description_prompt') || optionalText(sent, 'prompt');
  // Not forwarded, because the upstream would report its own task id; clients poll the gateway.
  const { notify_hook: _, ...body } = sent;
  return {
    action,
    model: `suno_${action.toLowerCase()}`,
    usualPrice,
    ...(originId === '' ? {} : { origin: { publicId: originId, mustHaveSucceeded: false } }),
    texts: ['prompt', 'gpt_description_prompt', 'title', 'tags'].flatMap(
      (field) => optionalText(sent, field) || [],
    ),
    notifyHook: '',
    columns: { properties: JSON.stringify({ input }) },
    path: `/suno/submit/${action}`,
    body: action === 'MUSIC' ? { ...body, mv: optionalText(sent, 'mv') || DEFAULT_VERSION } : body,
  };
}

/** A clip can be continued only at the account that created it, which is that of its task. */
function originIdOf(sent: JsonObject): string {
  const isContinued = (sent.continue_clip_id ?? '') !== '';
  if ((sent.task_id ?? '') !== '') return requiredId(sent, 'task_id');
  if (isContinued) throw missingField('task_id');
  return '';
}

function readSubmit(json: JsonObject): SubmitAnswer | undefined {
  const message = textIn(json, 'message') ?? '';
  const upstreamId = textIn(json, 'data');
  if (json.code !== 'success') {
    const code = textIn(json, 'code') ?? 'unknown';
    return {
      kind: 'refused',
      code,
      reason: message || code,
      columns: {},
      status: 400,
      body: { code, message, data: null },
      elsewhere: false,
      channelIsOut: false,
    };
  }
  if (upstreamId === undefined || upstreamId.length > 128) return undefined;
  return {
    kind: 'accepted',
    upstreamId,
    columns: { status: 'NOT_START' },
    answer: (publicId) => ({ code: 'success', message, data: publicId }),
  };
}

const STATUSES: ReadonlySet<string> = new Set(TASK_STATUSES);

function readSong(json: JsonObject): TaskReport | undefined {
  const upstreamId = textIn(json, 'task_id');
  if (upstreamId === undefined) return undefined;
  const outcome = outcomeOf(json);
  const times = ['start_time', 'finish_time'].flatMap((column) => {
    const seconds = numberIn(json, column) ?? 0;
    return seconds > 0 ? [[column, Math.trunc(seconds)] as const] : [];
  });
  const failReason = textIn(json, 'fail_reason');
  return {
    upstreamId,
    outcome,
    columns: {
      ...Object.fromEntries(times),
      status: statusOf(json, outcome),
      ...progressColumn(outcome, textIn(json, 'progress')),
      ...(failReason === undefined ? {} : { fail_reason: failReason }),
      ...(json.data === undefined || json.data === null ? {} : { data: JSON.stringify(json.data) }),
    },
  };
}

function outcomeOf(json: JsonObject): TaskOutcome {
  if (json.status === 'FAILURE' || textIn(json, 'fail_reason') !== undefined) return 'failed';
  return json.status === 'SUCCESS' ? 'succeeded' : 'open';
}

function statusOf({ status }: JsonObject, outcome: TaskOutcome): string {
  if (outcome === 'failed') return 'FAILURE';
  return typeof status === 'string' && STATUSES.has(status) ? status : 'UNKNOWN';
}

function shownSong(row: JsonObject): JsonObject {
  const text = (column: string) => textIn(row, column) ?? '';
  const time = (column: string) => numberIn(row, column) ?? 0;
  return {
    task_id: text('task_id'),
    action: text('action'),
    status: text('status'),
    fail_reason: text('fail_reason'),
    submit_time: time('submit_time'),
    start_time: time('start_time'),
    finish_time: time('finish_time'),
    progress: text('progress'),
    // Rows of an older installation may contain plain text.
    data: text('data') === '' ? null : (parseJson(text('data')) ?? text('data')),
  };
}
