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
import { attemptsIn, factsText, type LogFacts } from '../../domain/logs/log-facts.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { isAdmin } from '../../domain/roles.ts';
import { type EventAudience, isStoredReason, recordedText } from '../../locales/event-text.ts';
import { errorText } from '../../locales/text.ts';
import type { StoredLog } from '../../store/logs/log-rows.ts';
import { channelNamesOf } from '../../store/tables/channels-table.ts';
import { wordedAttempts } from './attempt-words.ts';
import { eventAudience, ownerAudience, roleOf } from './audit.ts';
import { hiddenId, rowIdOf } from './hidden-ids.ts';

type Printed = z.input<typeof Log>;

/** An entry as its reader may see it, before it is printed. */
export interface LogView extends Omit<Printed, 'other'> {
  readonly facts: LogFacts;
}

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
    facts: wordedFacts(row.facts, reader),
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
    facts: ownFacts(row.facts, reader.hidesUpstream),
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
  { type, content, facts }: Pick<StoredLog, 'type' | 'content' | 'facts'>,
  reader: EventAudience,
): string {
  if (type === LOG_TYPE.error && reader.hidesUpstream === true) return ownErrorText(facts, reader);
  const { event, params, reason = { event, params } } = facts;
  // Calls have no content.
  return (content && recordedText(reason, reader)) ?? content;
}

/** Why a call failed, with the status instead of the words of the upstream. */
function ownErrorText({ reason, status_code: status = 0 }: LogFacts, reader: EventAudience) {
  const words = reason && recordedText(reason, reader);
  return words ?? errorText(new AppError('upstream_hidden', { status }), reader.language);
}

/** The facts of an entry, with the failures of its attempts in words. */
function wordedFacts(facts: LogFacts, reader: EventAudience): LogFacts {
  const attempts = attemptsIn(facts);
  if (attempts.every(({ reason }) => reason === undefined)) return facts;
  const worded = wordedAttempts(attempts, reader);
  return { ...facts, admin_info: { ...facts.admin_info, attempts: worded } };
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
 * The facts of a log or ledger entry, without those only for administrators, and without the words
 * of upstreams if the operator hides them.
 */
export function ownFacts(facts: LogFacts, hidesUpstream = false): LogFacts {
  const kept = Object.entries(facts).filter(([name]) => !ADMIN_FACTS.has(name));
  const own: LogFacts = Object.fromEntries(kept);
  return hidesUpstream ? withoutUpstreamWords(own) : own;
}

function withoutUpstreamWords(facts: LogFacts): LogFacts {
  const { error_code: code, params } = facts;
  const isHidden = typeof params?.reason === 'string' && !isStoredReason(params.reason);
  return {
    ...facts,
    ...(code !== undefined && { error_code: 'upstream_error' }),
    ...(isHidden && { params: { ...params, reason: '' } }),
  };
}

/** As clients of the family get it. */
export function printedLog({ facts, ...row }: LogView): Printed {
  return { ...row, other: factsText(facts) };
}

/** With the facts as an object. */
export function logDetailView({ facts, ...row }: LogView): z.input<typeof LogDetail> {
  return { ...row, other: facts };
}

/** Fields that `LogChatContentEnabled` adds to an entry. */
const MESSAGES = ['input_content', 'context', 'output_content', 'system_prompt'] as const;
const PREVIEW_CHARACTERS = 500;

/** The length of the messages that an entry contains. */
export function messageCharacters({ facts }: Pick<LogView, 'facts'>): number {
  return MESSAGES.reduce((sum, name) => sum + (facts[name]?.length ?? 0), 0);
}

/**
 * For lists, as a hundred whole conversations would be megabytes; the detail call returns them in
 * full.
 */
export function logPreview(row: LogView): Printed {
  const long = MESSAGES.flatMap((name) => {
    const text = row.facts[name] ?? '';
    const cut = `${text.slice(0, PREVIEW_CHARACTERS)}…`;
    return text.length > PREVIEW_CHARACTERS ? [[name, cut] as const] : [];
  });
  if (long.length === 0) return printedLog(row);
  const facts = { ...row.facts, ...Object.fromEntries(long), is_cut: true };
  return printedLog({ ...row, facts });
}
