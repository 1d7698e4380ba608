/**
 * Kling (channel type 1024): videos from texts and from images, in the vendor's own format below
 * `/kling`. Source: app.klingai.com/global/dev/document-api, "Text to Video", "Image to Video".
 */

import { createHmac } from 'node:crypto';
import { wrongField } from '../../domain/errors/field-errors.ts';
import type { TaskOutcome } from '../../domain/task.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { optionalText, progressColumn, requiredText } from './fields.ts';
import type {
  SubmitAnswer,
  TaskPlan,
  TaskProvider,
  TaskReport,
  TaskRoute,
} from './task-provider.ts';

const DEFAULT_MODEL = 'kling-v1';
/** Kinds of videos, by their name in paths. */
const KINDS: Readonly<Record<string, string>> = {
  text2video: 'TEXT2VIDEO',
  image2video: 'IMAGE2VIDEO',
};
/** The number of seconds that one price covers. */
const PRICED_SECONDS = 5;

export const kling: TaskProvider = {
  platform: 'kling',
  table: 'tasks',
  channelTypes: [1024],
  prefixes: ['/kling'],
  routes: Object.keys(KINDS).flatMap((name): TaskRoute[] => [
    { does: 'submit', method: 'POST', path: `/v1/videos/${name}`, name },
    { does: 'fetch', method: 'GET', path: `/v1/videos/${name}/:id` },
  ]),
  submitting: { status: '', progress: '0%' },
  lifetimeSec: 24 * 3600,

  auth: (key, nowSec) => ({ authorization: `Bearer ${tokenOf(key, nowSec)}` }),
  plan: ({ name, body }) => planVideo(name, body),
  buildSubmit: (plan) => ({ method: 'POST', path: plan.path, body: plan.body }),
  readSubmit: (_plan, { status, json }) =>
    // An invalid key is a channel error and is handled like any other.
    isObject(json) && typeof json.code === 'number' && status !== 401
      ? readSubmit(json, status)
      : undefined,

  poll: {
    batch: 1,
    build: ([task]) => ({
      method: 'GET',
      path:
        task === undefined
          ? '/v1/videos/text2video?pageNum=1&pageSize=1'
          : `${pathOf(task.action)}/${encodeURIComponent(task.upstreamId)}`,
    }),
    read: (json) => readVideo(objectIn(json, 'data') ?? {}),
    isAnswer: (json) => isObject(json) && json.code === 0,
  },

  shown: shownVideo,
  one: (data) => ({ code: 0, message: 'SUCCEED', data }),
  many: (data) => ({ code: 0, message: 'SUCCEED', data }),
  refusal: ({ status, code, message }) => ({
    status,
    body: { code: REFUSAL_CODES[code] ?? 1200, message: `${code}: ${message}`, data: null },
  }),
};

/** Kling's codes for account and task errors; all others count as a wrong parameter. */
const REFUSAL_CODES: Readonly<Record<string, number>> = {
  invalid_api_key: 1002,
  insufficient_user_quota: 1102,
  pre_consume_token_quota_failed: 1102,
  model_not_found: 1203,
  task_not_exist: 1203,
  rate_limit_exceeded: 1302,
};

const TOKEN_SECONDS = 1800;

/** `AccessKey|SecretKey` signs a token (RFC 7519, HS256); a key of one part is already a token. */
function tokenOf(key: string, nowSec: number): string {
  const [accessKey = '', secretKey] = key.split('|');
  if (secretKey === undefined) return key;
  const claims = { iss: accessKey, exp: nowSec + TOKEN_SECONDS, nbf: nowSec - 5 };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}

function pathOf(action: string): string {
  return `/v1/videos/${action.toLowerCase()}`;
}

/** @throws AppError field_missing, field_wrong. */
function planVideo(name: string, sent: JsonObject): TaskPlan {
  const action = KINDS[name];
  if (action === undefined) throw wrongField('action', 'action_unknown');
  const prompt = action === 'TEXT2VIDEO' ? requiredText(sent, 'prompt') : promptOf(sent);
  const model = optionalText(sent, 'model_name') || DEFAULT_MODEL;
  const mode = optionalText(sent, 'mode') || 'std';
  const externalId = optionalText(sent, 'external_task_id');
  // Not forwarded, because the upstream would report its own task id; clients poll the gateway.
  const { callback_url: _, external_task_id: _id, ...body } = sent;
  return {
    action,
    model,
    priceName: `${model}-${mode}`,
    calls: secondsOf(sent) / PRICED_SECONDS,
    texts: [prompt, optionalText(sent, 'negative_prompt')].filter((text) => text !== ''),
    notifyHook: '',
    columns: { properties: JSON.stringify({ input: prompt, external_task_id: externalId }) },
    path: pathOf(action),
    body: { ...body, model_name: model },
  };
}

/** An image is sufficient; the prompt is optional. */
function promptOf(sent: JsonObject): string {
  if (optionalText(sent, 'image') === '') requiredText(sent, 'image_tail');
  return optionalText(sent, 'prompt');
}

function secondsOf(sent: JsonObject): number {
  const seconds = numberIn(sent, 'duration') ?? PRICED_SECONDS;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 60)
    throw wrongField('duration', 'not_seconds');
  return seconds;
}

/** Errors of this account; another account may accept the task. */
const ACCOUNT: ReadonlySet<number> = new Set([1100, 1101, 1102, 1103, 1302, 1303, 1304]);
/** The account has no credit left. */
const OUT: ReadonlySet<number> = new Set([1101, 1102]);

function readSubmit(json: JsonObject, status: number): SubmitAnswer | undefined {
  const code = numberIn(json, 'code') ?? 0;
  const data = objectIn(json, 'data');
  if (code !== 0) {
    const message = textIn(json, 'message') ?? `code ${code}`;
    return {
      kind: 'refused',
      code: `kling_${code}`,
      reason: message,
      columns: {},
      status: status >= 400 ? status : 400,
      body: { code, message, data: null },
      elsewhere: ACCOUNT.has(code),
      channelIsOut: OUT.has(code),
    };
  }
  const upstreamId = textIn(data, 'task_id');
  if (upstreamId === undefined || upstreamId.length > 128) return undefined;
  return {
    kind: 'accepted',
    upstreamId,
    columns: { status: 'SUBMITTED' },
    answer: (publicId) => ({
      code: 0,
      message: 'SUCCEED',
      data: { task_id: publicId, task_status: 'submitted' },
    }),
  };
}

const STATUSES: Readonly<Record<string, string>> = {
  submitted: 'SUBMITTED',
  processing: 'IN_PROGRESS',
  succeed: 'SUCCESS',
  failed: 'FAILURE',
};
const OUTCOMES: Readonly<Record<string, TaskOutcome>> = { SUCCESS: 'succeeded', FAILURE: 'failed' };

function readVideo(data: JsonObject): readonly TaskReport[] {
  const upstreamId = textIn(data, 'task_id');
  if (upstreamId === undefined) return [];
  const status = STATUSES[textIn(data, 'task_status') ?? ''] ?? 'UNKNOWN';
  const outcome = OUTCOMES[status] ?? 'open';
  const reason = textIn(data, 'task_status_msg');
  const result = objectIn(data, 'task_result');
  return [
    {
      upstreamId,
      outcome,
      columns: {
        status,
        ...progressColumn(outcome, undefined),
        ...(outcome === 'failed' && reason !== undefined ? { fail_reason: reason } : {}),
        ...(result === undefined ? {} : { data: JSON.stringify(result) }),
      },
    },
  ];
}

/** In Kling's format; its times are milliseconds. */
function shownVideo(row: JsonObject): JsonObject {
  const status = textIn(row, 'status') ?? '';
  const words = Object.entries(STATUSES).find(([, ours]) => ours === status)?.[0];
  const properties = parseJson(textIn(row, 'properties') ?? '');
  const result = parseJson(textIn(row, 'data') ?? '');
  const externalId = textIn(properties, 'external_task_id');
  return {
    task_id: textIn(row, 'task_id') ?? '',
    task_status: words ?? (status === 'UNKNOWN' ? 'processing' : 'submitted'),
    task_status_msg: textIn(row, 'fail_reason') ?? '',
    task_info: externalId === undefined ? {} : { external_task_id: externalId },
    created_at: 1000 * (numberIn(row, 'submit_time') ?? 0),
    updated_at: 1000 * (numberIn(row, 'updated_at') ?? 0),
    ...(isObject(result) ? { task_result: result } : {}),
  };
}
