/** Converts codes, payments, tasks and log entries of the one-api family to our rows; pure. */
import { inputTokensOf, withClaudeUsage } from '../logs/claude-facts.ts';
import { factsText } from '../logs/log-facts.ts';
import { isFinished, REDEMPTION_STATUS } from '../statuses.ts';
import type { AddNote, SkippedRow } from './accounts.ts';
import type { SourceFamily } from './family.ts';
import {
  boolIn,
  columnObject,
  columnText,
  decimalIn,
  intIn,
  isDeleted,
  type SourceRow,
  secondsIn,
} from './values.ts';

/** Resolves source ids to the ids of imported rows; 0 for rows that were not imported. */
export interface ImportedIds {
  user(sourceId: unknown): number;
  token(sourceId: unknown): number;
  channel(sourceId: unknown): number;
  redemption(sourceId: unknown): number;
}

type Fields = Readonly<Record<string, string | number | boolean>>;
export type ImportedRow = { readonly fields: Fields } | SkippedRow;

const REDEMPTION_STATUSES: ReadonlySet<number> = new Set(Object.values(REDEMPTION_STATUS));

export function importedRedemption(row: SourceRow, ids: ImportedIds, note: AddNote): ImportedRow {
  if (isDeleted(row)) return { skip: 'deleted' };
  const key = columnText(row.key);
  if (key === '' || key.length > 64) return { skip: 'empty' };
  const status = intIn(row.status, REDEMPTION_STATUS.unused);
  const isGift = boolIn(row.is_gift);
  const quota = intIn(row.quota);
  if (quota <= 0) note('field_dropped', 'quota');
  const redeemed = secondsIn(row.redeemed_time);
  return {
    fields: {
      user_id: ids.user(row.user_id),
      key,
      status: REDEMPTION_STATUSES.has(status) && quota > 0 ? status : REDEMPTION_STATUS.disabled,
      name: columnText(row.name, 255),
      quota: Math.max(0, quota),
      created_time: secondsIn(row.created_time),
      redeemed_time: redeemed,
      valid_from: secondsIn(row.valid_from),
      valid_until: secondsIn(row.valid_until ?? row.expired_time),
      used_user_id: ids.user(row.used_user_id),
      is_gift: isGift,
      used_count: Math.max(0, intIn(row.used_count, redeemed > 0 ? 1 : 0)),
      max_uses: isGift && intIn(row.max_uses) > 0 ? intIn(row.max_uses) : -1,
    },
  };
}

export function importedRedemptionUse(row: SourceRow, ids: ImportedIds): ImportedRow {
  const redemption_id = ids.redemption(row.redemption_id);
  const user_id = ids.user(row.user_id);
  if (redemption_id === 0 || user_id === 0) return { skip: 'orphan' };
  return { fields: { redemption_id, user_id, used_time: secondsIn(row.used_time) } };
}

/** A pending order stays pending, so that a late payment is still credited. */
export function importedTopUp(row: SourceRow, ids: ImportedIds): ImportedRow {
  const trade_no = columnText(row.trade_no);
  const user_id = ids.user(row.user_id);
  if (trade_no === '' || trade_no.length > 128) return { skip: 'empty' };
  if (user_id === 0) return { skip: 'orphan' };
  const status = columnText(row.status);
  const method = columnText(row.payment_method, 32);
  const isPaid = status === 'success';
  // Other statuses are failed orders; other payment providers do not call back here.
  if (!isPaid && (status !== 'pending' || !/^(?:alipay|wxpay|zfb|wx|epay|)$/.test(method)))
    return { skip: 'unfinished' };
  const created = secondsIn(row.create_time);
  return {
    fields: {
      user_id,
      amount: Math.max(0, intIn(row.amount)),
      money: Math.max(0, decimalIn(row.money)),
      trade_no,
      create_time: created,
      status,
      quota: 0,
      provider: 'epay',
      method,
      complete_time: isPaid ? secondsIn(row.complete_time) || created : 0,
    },
  };
}

/** Finished tasks only: an unfinished one would be polled, and refunded, by both systems. */
export function importedImageTask(row: SourceRow, ids: ImportedIds): ImportedRow {
  const task = taskOf(row, ids);
  if (isSkipped(task)) return task;
  const mj_id = columnText(row.mj_id, 255);
  return {
    fields: {
      ...task,
      code: intIn(row.code),
      mj_id,
      upstream_id: columnText(mj_id, 128),
      prompt: columnText(row.prompt),
      prompt_en: columnText(row.prompt_en),
      description: columnText(row.description),
      state: columnText(row.state),
      submit_time: intIn(row.submit_time),
      start_time: intIn(row.start_time),
      finish_time: intIn(row.finish_time),
      image_url: columnText(row.image_url),
      progress: columnText(row.progress, 30),
      buttons: columnText(row.buttons),
      properties: columnText(row.properties),
    },
  };
}

export function importedTask(row: SourceRow, ids: ImportedIds): ImportedRow {
  const task = taskOf(row, ids);
  if (isSkipped(task)) return task;
  const task_id = columnText(row.task_id, 128);
  return {
    fields: {
      ...task,
      task_id,
      upstream_id: task_id,
      created_at: secondsIn(row.created_at),
      updated_at: secondsIn(row.updated_at),
      platform: columnText(row.platform, 30),
      submit_time: secondsIn(row.submit_time),
      start_time: secondsIn(row.start_time),
      finish_time: secondsIn(row.finish_time),
      progress: columnText(row.progress, 20),
      properties: columnText(row.properties),
      data: columnText(row.data),
    },
  };
}

function isSkipped(task: Fields | SkippedRow): task is SkippedRow {
  return 'skip' in task;
}

function taskOf(row: SourceRow, ids: ImportedIds): Fields | SkippedRow {
  const status = columnText(row.status, 20);
  if (!isFinished(status)) return { skip: 'unfinished' };
  const user_id = ids.user(row.user_id);
  if (user_id === 0) return { skip: 'orphan' };
  return {
    user_id,
    channel_id: ids.channel(row.channel_id),
    action: columnText(row.action, 40),
    status,
    quota: Math.max(0, intIn(row.quota)),
    fail_reason: columnText(row.fail_reason),
  };
}

/** Maps the family's log types to ours; types without an equivalent become system entries. */
const LOG_TYPES: Readonly<Record<SourceFamily, Readonly<Record<number, number>>>> = {
  'one-api': { 1: 1, 2: 2, 3: 3, 4: 4 },
  'new-api': { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 7 },
  veloera: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6 },
};
const SYSTEM = 4;

export function importedLogEntry(
  row: SourceRow,
  family: SourceFamily,
  ids: ImportedIds,
): { readonly fields: Fields } {
  const useTime = Math.max(0, intIn(row.use_time));
  const useMs = intIn(row.elapsed_time) || useTime * 1000;
  const counts = {
    prompt_tokens: Math.max(0, intIn(row.prompt_tokens)),
    completion_tokens: Math.max(0, intIn(row.completion_tokens)),
  };
  const facts = withClaudeUsage(counts, columnObject(row.other) ?? {});
  return {
    fields: {
      request_id: columnText(row.request_id, 64),
      user_id: ids.user(row.user_id),
      created_at: secondsIn(row.created_at),
      type: LOG_TYPES[family][intIn(row.type)] ?? SYSTEM,
      content: columnText(row.content),
      username: columnText(row.username, 255),
      token_name: columnText(row.token_name, 255),
      model_name: columnText(row.model_name, 255),
      quota: intIn(row.quota),
      ...counts,
      prompt_tokens: inputTokensOf(counts, facts),
      use_time: Math.max(0, Math.round(useMs / 1000)),
      use_time_ms: Math.max(0, useMs),
      first_token_ms: 0,
      is_stream: boolIn(row.is_stream),
      channel_id: ids.channel(row.channel_id ?? row.channel),
      token_id: ids.token(row.token_id),
      group: columnText(row.group, 64),
      client_ip: columnText(row.client_ip ?? row.ip, 45),
      usage_source: '',
      other: factsText(facts),
    },
  };
}
