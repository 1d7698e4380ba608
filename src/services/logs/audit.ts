/** Identifies actors in the ledger and writes management entries to the log. */
import type { Actor } from '../../api/call.ts';
import { nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { GatewayEvent } from '../../domain/logs/events.ts';
import { factsText } from '../../domain/logs/log-facts.ts';
import { LOG_TYPE, type LogType } from '../../domain/logs/log-types.ts';
import type { Reason } from '../../domain/logs/reasons.ts';
import { type QuotaStyle, quotaText } from '../../domain/pricing/quota-text.ts';
import { ROLES, type Role } from '../../domain/roles.ts';
import { type EventAudience, reasonText } from '../../locales/event-text.ts';
import type { Language } from '../../locales/text.ts';
import { logTableOf } from '../../store/logs/log-database.ts';
import { EMPTY_LOG_ROW, type LogRow } from '../../store/logs/log-row.ts';
import { insertLogs } from '../../store/logs/log-rows.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/** `operator` or `user:<id>`, as stored in ledger and log. */
export function actorName(actor: Actor): string {
  return actor.kind === 'operator' ? 'operator' : `user:${actor.id}`;
}

/** The operator at the machine's own terminal has the permissions of a super admin. */
export function roleOf(actor: Actor): Role {
  return actor.kind === 'operator' ? ROLES.super_admin : actor.role;
}

/** The actor's account id. @throws AppError `not_signed_in` for the operator, who has none. */
export function ownId(actor: Actor): number {
  if (actor.kind === 'operator' || actor.id === 0) throw new AppError('not_signed_in');
  return actor.id;
}

/** The actor's account id; 0 for a guest. @throws AppError `permission_denied` for the operator. */
export function requireUserId(actor: Actor): number {
  if (actor.kind === 'operator') throw new AppError('permission_denied');
  return actor.id;
}

/** @throws AppError `permission_denied` below the role. */
export function requireRole(actor: Actor, role: Role): void {
  if (roleOf(actor) < role) throw new AppError('permission_denied');
}

export interface ActionRecord {
  /** The action's name, e.g. `user_quota`. */
  readonly action: string;
  /** What happened, without secrets. */
  readonly event: GatewayEvent;
  /** The affected user; the actor when absent. */
  readonly user?: { readonly id: number; readonly username: string };
  readonly type?: LogType;
  readonly quota?: number;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Further columns of the row. */
  readonly columns?: Partial<LogRow>;
}

/** Writes a log entry (type 3 by default) in the transaction of the change it describes. */
export async function recordAction(
  ctx: TxContext,
  actor: Actor,
  record: ActionRecord,
): Promise<void> {
  const user = record.user ?? (await actorUser(ctx, actor));
  const { event } = record;
  const facts = {
    action: record.action,
    ...record.facts,
    ...event,
    admin_info: { actor: actorName(actor) },
  };
  const row = {
    ...EMPTY_LOG_ROW,
    user_id: user.id,
    created_at: nowSec(ctx),
    type: record.type ?? LOG_TYPE.admin,
    content: storedContent(ctx, event),
    username: user.username,
    quota: record.quota ?? 0,
    other: factsText(facts),
    ...record.columns,
  };
  await insertLogs(ctx.db, [row], logTableOf(ctx.logDatabase));
}

async function actorUser(ctx: TxContext, actor: Actor): Promise<{ id: number; username: string }> {
  if (actor.kind === 'operator') return { id: 0, username: '' };
  const names = await usernamesOf(ctx.db, [actor.id]);
  return { id: actor.id, username: names.get(actor.id) ?? '' };
}

type OptionsContext = Pick<TxContext, 'options'>;

/**
 * The English sentence that a log entry stores beside its event or reason, for searches and for
 * programs that read the table.
 */
export function storedContent(ctx: OptionsContext, reason: Reason): string {
  return reasonText(reason, eventAudience(ctx, 'en'));
}

/** A reader of events in this language; amounts follow the options for display and unit. */
export function eventAudience(ctx: OptionsContext, language: Language): EventAudience {
  return { language, quota: quotaStyle(ctx) };
}

/** As `eventAudience`, for the owner of a record: the operator may hide texts of upstreams. */
export function ownerAudience(ctx: OptionsContext, language: Language): EventAudience {
  const hidesUpstream = ctx.options().get('global.hide_upstream_error_enabled');
  return { ...eventAudience(ctx, language), hidesUpstream };
}

/** An amount formatted according to the options for display and unit. */
export function quotaAmountText(ctx: OptionsContext, units: number): string {
  return quotaText(units, quotaStyle(ctx));
}

function quotaStyle(ctx: OptionsContext): QuotaStyle {
  const options = ctx.options();
  return {
    currency: options.get('DisplayInCurrencyEnabled'),
    quotaPerUnit: options.get('QuotaPerUnit'),
  };
}
