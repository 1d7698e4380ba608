/** Reads the responses of Midjourney proxies, and writes responses for their clients. */

import { DRAWING_STATUSES } from '../../domain/statuses.ts';
import type { TaskColumns, TaskOutcome } from '../../domain/task.ts';
import { visibleImageUrl } from '../../domain/task-image.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';
import { progressColumn } from './fields.ts';
import type {
  SubmitAnswer,
  TaskPlan,
  TaskRefusal,
  TaskReply,
  TaskReport,
  TaskSite,
} from './task-provider.ts';

const CODE = {
  submitted: 1,
  no_account: 3,
  bad_request: 4,
  unknown: 5,
  exists: 21,
  queued: 22,
  queue_full: 23,
  saturated: 30,
} as const;

/** Whether the code means acceptance; for face swaps and uploads only `submitted` does. */
function isAccepted(code: number, action: string): boolean {
  const isPlain = action === 'SWAP_FACE' || action === 'UPLOAD';
  return code === CODE.submitted || (!isPlain && (code === CODE.exists || code === CODE.queued));
}

export function readImageTaskSubmit(
  plan: TaskPlan,
  { status, json }: TaskReply,
  nowMs: number,
): SubmitAnswer | undefined {
  const isItsOwn = (status >= 200 && status < 300) || status === 400;
  if (!isItsOwn || !isObject(json) || typeof json.code !== 'number') return undefined;
  if (!isAccepted(json.code, plan.action)) return refusedAnswer(plan, status, json, json.code);
  if (plan.action === 'UPLOAD') return uploadedAnswer(json, nowMs);
  const upstreamId = textIn(json, 'result');
  if (upstreamId === undefined || upstreamId.length > 128) return undefined;
  const properties = objectIn(json, 'properties') ?? {};
  const known = json.code === CODE.exists ? existingColumns(properties, nowMs) : {};
  const columns = { code: json.code, status: 'SUBMITTED', ...known };
  return {
    kind: 'accepted',
    upstreamId,
    columns,
    answer: (publicId, site) => ({
      code: CODE.submitted,
      description: textIn(json, 'description') ?? '',
      result: publicId,
      properties: withShownImage(properties, publicId, site),
    }),
  };
}

/** If the image already exists, the response contains it. */
function existingColumns(properties: JsonObject, nowMs: number): TaskColumns {
  const imageUrl = textIn(properties, 'imageUrl');
  if (properties.status !== 'SUCCESS' || imageUrl === undefined) return {};
  return { status: 'SUCCESS', progress: '100%', image_url: imageUrl, finish_time: nowMs };
}

function withShownImage(properties: JsonObject, publicId: string, site: TaskSite): JsonObject {
  const imageUrl = textIn(properties, 'imageUrl');
  if (imageUrl === undefined) return properties;
  const drawing = { id: publicId, imageUrl, status: textIn(properties, 'status') ?? '' };
  return { ...properties, imageUrl: visibleImageUrl(drawing, imageSite(site)) };
}

function uploadedAnswer(json: JsonObject, nowMs: number): SubmitAnswer {
  const [first] = Array.isArray(json.result) ? json.result : [];
  const image: TaskColumns = typeof first === 'string' ? { image_url: first } : {};
  return {
    kind: 'accepted',
    upstreamId: '',
    columns: {
      code: CODE.submitted,
      status: 'SUCCESS',
      progress: '100%',
      finish_time: nowMs,
      ...image,
    },
    answer: () => json,
  };
}

function refusedAnswer(
  plan: TaskPlan,
  status: number,
  json: JsonObject,
  code: number,
): SubmitAnswer {
  // For a follow-up task, code 3 means that the upstream no longer knows the original task.
  const isOut = code === CODE.no_account && plan.origin === undefined;
  return {
    kind: 'refused',
    code: `mj_${code}`,
    reason: textIn(json, 'description') ?? `code ${code}`,
    columns: { code },
    status,
    body: json,
    elsewhere: isOut || code === CODE.queue_full,
    channelIsOut: isOut && !choosesAccount(plan),
  };
}

/** Whether the client asks for certain accounts, so that only those may be missing. */
function choosesAccount({ body, columns }: TaskPlan): boolean {
  const { bot_type: bot = '', prompt = '' } = columns;
  if (body.accountFilter !== undefined) return true;
  return (
    (bot !== '' && bot !== 'MID_JOURNEY') || /--(?:fast|relax|turbo|niji)\b/i.test(String(prompt))
  );
}

const STATUSES: ReadonlySet<string> = new Set(DRAWING_STATUSES);

export function readImageTask(json: unknown): TaskReport | undefined {
  const upstreamId = textIn(json, 'id');
  if (!isObject(json) || upstreamId === undefined) return undefined;
  const outcome = outcomeOf(json);
  const progress = textIn(json, 'progress');
  const prompt = textIn(json, 'prompt');
  return {
    upstreamId,
    outcome,
    columns: {
      ...textColumns(json),
      ...timeColumns(json),
      ...jsonColumns(json),
      ...statusColumn(json, outcome),
      ...progressColumn(outcome, progress),
    },
    ...(prompt === undefined ? {} : { ifEmpty: { prompt: prompt } }),
  };
}

function outcomeOf(json: JsonObject): TaskOutcome {
  if (json.status === 'SUCCESS') return 'succeeded';
  const isFailed = json.status === 'FAILURE' || json.status === 'CANCEL';
  return isFailed || textIn(json, 'failReason') !== undefined ? 'failed' : 'open';
}

function statusColumn({ status }: JsonObject, outcome: TaskOutcome): TaskColumns {
  if (outcome === 'failed') return { status: 'FAILURE' };
  return typeof status === 'string' && STATUSES.has(status) ? { status } : {};
}

const TEXTS = {
  promptEn: 'prompt_en',
  description: 'description',
  imageUrl: 'image_url',
  failReason: 'fail_reason',
} as const;

function textColumns(json: JsonObject): TaskColumns {
  const columns: Record<string, string> = {};
  for (const [field, column] of Object.entries(TEXTS)) {
    const text = textIn(json, field);
    if (text !== undefined) columns[column] = text;
  }
  return columns;
}

/** Only times that are set; the upstream sends 0 or null for others. */
function timeColumns(json: JsonObject): TaskColumns {
  const startMs = numberIn(json, 'startTime') ?? 0;
  const finishMs = numberIn(json, 'finishTime') ?? 0;
  return {
    ...(startMs > 0 ? { start_time: Math.trunc(startMs) } : {}),
    ...(finishMs > 0 ? { finish_time: Math.trunc(finishMs) } : {}),
  };
}

function jsonColumns({ buttons, properties }: JsonObject): TaskColumns {
  return {
    ...(Array.isArray(buttons) ? { buttons: JSON.stringify(buttons) } : {}),
    ...(isObject(properties) ? { properties: JSON.stringify(properties) } : {}),
  };
}

/** A row of `midjourneys` in the format that clients of the proxy expect. */
export function visibleImageTask(row: JsonObject, site: TaskSite): JsonObject {
  const text = (column: string) => textIn(row, column) ?? '';
  const time = (column: string) => numberIn(row, column) ?? 0;
  const drawing = { id: text('mj_id'), imageUrl: text('image_url'), status: text('status') };
  const buttons = parseJson(text('buttons'));
  const properties = parseJson(text('properties'));
  return {
    id: drawing.id,
    action: text('action'),
    customId: text('custom_id'),
    botType: text('bot_type'),
    prompt: text('prompt'),
    promptEn: text('prompt_en'),
    description: text('description'),
    state: text('state'),
    submitTime: time('submit_time'),
    startTime: time('start_time'),
    finishTime: time('finish_time'),
    imageUrl: visibleImageUrl(drawing, imageSite(site)),
    status: drawing.status,
    progress: text('progress'),
    failReason: text('fail_reason'),
    buttons: Array.isArray(buttons) ? buttons : [],
    maskBase64: '',
    properties: isObject(properties) ? properties : {},
  };
}

function imageSite({ options, nowMs }: TaskSite) {
  return {
    isForwarded: options.get('MjForwardUrlEnabled'),
    serverAddress: options.get('ServerAddress'),
    nowMs,
  };
}

const SHORT_OF_QUOTA: ReadonlySet<string> = new Set([
  'insufficient_user_quota',
  'pre_consume_token_quota_failed',
]);

/** Clients of the proxy check `code` and expect status 400 for any error in their request. */
export function imageTaskRefusal({ status, code, message }: TaskRefusal) {
  const isShort = SHORT_OF_QUOTA.has(code);
  return {
    status: isShort || status === 404 ? 400 : status,
    body: {
      code: refusalCode(status, code),
      description: isShort ? `quota_not_enough: ${message}` : message,
      type: 'upstream_error',
      error: code,
    },
  };
}

function refusalCode(status: number, code: string): number {
  if (status === 429) return CODE.saturated;
  if (code === 'model_not_found' || code === 'upstream_unavailable') return CODE.no_account;
  return status >= 500 ? CODE.unknown : CODE.bad_request;
}
