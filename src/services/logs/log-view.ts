/**
 * Log entries as users see them: administrators see everything, others their own entries without
 * upstream names and ids, and with hidden ids that do not reveal how busy the site is.
 */
import type * as z from 'zod/mini';
import type { Actor } from '../../api/call.ts';
import type { Log, LogDetail } from '../../api/logs/log.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Language } from '../../domain/languages.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { isAdmin } from '../../domain/roles.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { isObject } from '../../json/read-json.ts';
import { type EventAudience, isStoredReason, recordedText } from '../../locales/event-text.ts';
import { errorText } from '../../locales/text.ts';
import type { StoredLog } from '../../store/logs/log-rows.ts';
import { channelNamesOf } from '../../store/tables/channels-table.ts';
import { wordedAttempts } from './attempt-words.ts';
import { eventAudience, ownerAudience, roleOf } from './audit.ts';
import { hiddenId, rowIdOf } from './hidden-ids.ts';

export type LogView = z.input<typeof Log>;

const HIDDEN_ID_TABLE = 'log';

export function mayReadAllLogs(actor: Actor): boolean {
  return isAdmin(roleOf(actor));
}

export function isOwnLog(actor: Actor, row: StoredLog): boolean {
  return actor.kind === 'user' && actor.id === row.user_id;
}

/** Entries as the actor may see them, worded in this language. */
export function logViews(
  ctx: Context,
  actor: Actor,
  rows: readonly StoredLog[],
  language: Language,
): Promise<LogView[]> {
  return mayReadAllLogs(actor)
    ? adminLogViews(ctx, rows, language)
    : Promise.resolve(ownLogViews(ctx, rows, language));
}

async function adminLogViews(
  ctx: Context,
  rows: readonly StoredLog[],
  language: Language,
): Promise<LogView[]> {
  const reader = eventAudience(ctx, language);
  const names = await channelNamesOf(
    ctx.reads,
    rows.map((row) => row.channel_id),
  );
  return rows.map((row) => ({
    ...sharedFields(row, reader),
    cost: row.cost,
    id: row.id,
    channel: row.channel_id,
    channel_name: names.get(row.channel_id) ?? '',
    other: wordedFacts(row.other, reader),
  }));
}

/** Entries as their owner sees them, whatever the owner's role. */
export function ownLogViews(
  ctx: Context,
  rows: readonly StoredLog[],
  language: Language,
): LogView[] {
  const reader = ownerAudience(ctx, language);
  return rows.map((row) => ({
    ...sharedFields(row, reader),
    id: hiddenId(ctx.secrets, HIDDEN_ID_TABLE, row.id),
    channel: 0,
    channel_name: '',
    other: ownFacts(row.other, reader.hidesUpstream),
  }));
}

/** The log id behind an owner's hidden id. */
export function ownLogId(ctx: Context, id: number): number {
  return rowIdOf(ctx.secrets, HIDDEN_ID_TABLE, id);
}

function sharedFields(
  { channel_id: _, cost: __, client_ip, ...row }: StoredLog,
  reader: EventAudience,
) {
  const worded = { ...row, content: wordedContent(row, reader) };
  return client_ip === '' ? worded : { ...worded, client_ip };
}

/** Entries without event and reason, such as those of earlier versions, keep their text. */
function wordedContent(
  { type, content, other }: Pick<StoredLog, 'type' | 'content' | 'other'>,
  reader: EventAudience,
): string {
  if (type === LOG_TYPE.error && reader.hidesUpstream === true) return ownErrorText(other, reader);
  // Facts of calls can be long, and those have no content.
  if (content === '' || !/"(?:event|reason)":/.test(other)) return content;
  const { event, params, reason = { event, params } } = parsedObject(other);
  return (isObject(reason) ? recordedText(reason, reader) : undefined) ?? content;
}

/** Why a call failed, with the status instead of the words of the upstream. */
function ownErrorText(other: string, reader: EventAudience): string {
  const { reason, status_code: status } = parsedObject(other);
  const words = isObject(reason) ? recordedText(reason, reader) : undefined;
  const hidden = new AppError('upstream_hidden', { status: Number(status ?? 0) });
  return words ?? errorText(hidden, reader.language);
}

/** The facts of an entry, with the failures of its attempts in words. */
function wordedFacts(other: string, reader: EventAudience): string {
  // Almost no call has such attempts, and its facts can be long.
  if (!other.includes('"reason":{')) return other;
  const { admin_info: info, ...facts } = parsedObject(other);
  if (!isObject(info) || !Array.isArray(info.attempts)) return other;
  const attempts = wordedAttempts(info.attempts, reader);
  return JSON.stringify({ ...facts, admin_info: { ...info, attempts } });
}

const ADMIN_FACTS: ReadonlySet<string> = new Set([
  'admin_info',
  'channel_id',
  'channel_name',
  'channel_type',
  'over_allowed',
  'disbelieved_usage',
]);

/**
 * The facts of a log or ledger entry, as JSON, without those only for administrators, and without
 * the words of upstreams if the operator hides them.
 */
export function ownFacts(other: string, hidesUpstream = false): string {
  const facts = parsedObject(other);
  const kept = Object.entries(facts)
    .filter(([key]) => !ADMIN_FACTS.has(key))
    .map(([key, value]) => [key, hidesUpstream ? withoutUpstreamWords(key, value) : value]);
  return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept));
}

function withoutUpstreamWords(key: string, value: unknown): unknown {
  if (key === 'error_code') return 'upstream_error';
  if (key !== 'params' || !isObject(value) || typeof value.reason !== 'string') return value;
  return isStoredReason(value.reason) ? value : { ...value, reason: '' };
}

/** The entry with `other` parsed to an object. */
export function logDetailView({ other, ...row }: LogView): z.input<typeof LogDetail> {
  return { ...row, other: parsedObject(other) };
}

/** Fields that `LogChatContentEnabled` adds to an entry. */
const MESSAGES = ['input_content', 'context', 'output_content', 'system_prompt'];
const PREVIEW_CHARACTERS = 500;

/**
 * For lists, as a hundred whole conversations would be megabytes; the detail call returns them in
 * full.
 */
export function logPreview(row: LogView): LogView {
  if (row.other.length <= PREVIEW_CHARACTERS) return row;
  const facts: Record<string, unknown> = { ...parsedObject(row.other) };
  let isCut = false;
  for (const name of MESSAGES) {
    const text = facts[name];
    if (typeof text !== 'string' || text.length <= PREVIEW_CHARACTERS) continue;
    facts[name] = `${text.slice(0, PREVIEW_CHARACTERS)}…`;
    isCut = true;
  }
  return isCut ? { ...row, other: JSON.stringify({ ...facts, is_cut: true }) } : row;
}
