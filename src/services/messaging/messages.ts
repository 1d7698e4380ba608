/**
 * Messages from administrators to users. The recipients are fixed when a message is sent: an
 * account created later does not receive it.
 */

import type * as z from 'zod/mini';
import { type Actor, pageWindow, type Service, toPage } from '../../api/call.ts';
import {
  type InboxMessage,
  MESSAGE_FORMATS,
  type Message,
  type messageCalls,
} from '../../api/messaging/message.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import {
  countUnread,
  deleteMessage,
  deliverTo,
  deliverToAll,
  type InboxRow,
  inboxMessage,
  insertMessage,
  type MessageRow,
  markMessageRead,
  messageById,
  pageOfInbox,
  pageOfMessages,
  pageOfRecipients,
  type ReceiptSums,
  receiptSums,
  updateMessage,
} from '../../store/tables/messages-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { recordAction, requireUserId } from '../logs/audit.ts';
import { requireGroup } from '../options/require-group.ts';

type Calls = Service<typeof messageCalls, Context>;
type Shown = z.input<typeof Message>;
type Draft = Parameters<Calls['create']>[2];

const NO_RECEIPTS: ReceiptSums = { total: 0, read: 0 };
const DAY_MS = 86_400_000;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const filter = {
    keyword: input.keyword,
    sinceSec: startOfDay(input.start_date),
    untilSec: endOfDay(input.end_date),
  };
  const { rows, total } = await pageOfMessages(ctx.reads, filter, window);
  return toPage(window, await messageViews(ctx, rows), total);
};

export const search = list;

/** @throws AppError message_missing. */
export const get: Calls['get'] = (ctx, _actor, { id }) => messageView(ctx, id);

/** @throws AppError input_invalid if there are no recipients; group_missing. */
export const create: Calls['create'] = async (ctx, actor, input) => {
  if (input.group) requireGroup(ctx, input.group);
  return writing(ctx, async (ctx) => {
    const now = nowSec(ctx);
    const id = await insertMessage(ctx.db, {
      title: input.title,
      content: input.content,
      format: input.format,
      created_at: now,
      updated_at: now,
      created_by: actor.kind === 'user' ? actor.id : 0,
    });
    const receivers = await deliver(ctx, id, input);
    await recordMessageAction(ctx, actor, 'sent', { id, receivers });
    return messageView(ctx, id);
  });
};

async function deliver(ctx: TxContext, messageId: number, input: Draft): Promise<number> {
  const delivery = { messageId, atSec: nowSec(ctx) };
  const ways = [input.to_all, Boolean(input.group), input.user_ids.length > 0];
  if (ways.filter(Boolean).length !== 1) throw invalidInput('user_ids', 'one_kind_of_receiver');
  const receivers =
    input.user_ids.length > 0
      ? await deliverTo(ctx.db, delivery, input.user_ids)
      : await deliverToAll(ctx.db, delivery, input.group || undefined);
  if (receivers === 0) throw invalidInput('user_ids', 'no_receiver');
  return receivers;
}

/** @throws AppError message_missing. */
export const edit: Calls['edit'] = (ctx, actor, { id, title, content, format }) =>
  writing(ctx, async (ctx) => {
    const fields = { title, content, ...(format && { format }), updated_at: nowSec(ctx) };
    if (!(await updateMessage(ctx.db, id, fields))) throw missingMessage(id);
    await recordMessageAction(ctx, actor, 'changed', { id });
    return messageView(ctx, id);
  });

/** @throws AppError message_missing. */
export const remove: Calls['remove'] = (ctx, actor, { id }) =>
  writing(ctx, async (ctx) => {
    if (!(await deleteMessage(ctx.db, id))) throw missingMessage(id);
    await recordMessageAction(ctx, actor, 'deleted', { id });
  });

/** @throws AppError message_missing. */
export const recipients: Calls['recipients'] = async (ctx, _actor, { id, ...query }) => {
  if ((await messageById(ctx.reads, id)) === undefined) throw missingMessage(id);
  const window = pageWindow(query);
  const { rows, total } = await pageOfRecipients(ctx.reads, id, window);
  const items = rows.map((row) => ({ ...row, read_at: isoOrNull(row.read_at) }));
  return toPage(window, items, total);
};

export const inbox: Calls['inbox'] = async (ctx, actor, { unread, ...query }) => {
  const window = pageWindow(query);
  const { rows, total } = await pageOfInbox(
    ctx.reads,
    requireUserId(actor),
    unread === true,
    window,
  );
  return toPage(window, rows.map(inboxView), total);
};

export const unreadCount: Calls['unreadCount'] = async (ctx, actor) => ({
  unread_count: await countUnread(ctx.reads, requireUserId(actor)),
});

/** @throws AppError message_missing, also for another user's message. */
export const read: Calls['read'] = async (ctx, actor, { id }) => {
  const message = await inboxMessage(ctx.reads, requireUserId(actor), id);
  if (message === undefined) throw missingMessage(id);
  return inboxView(message);
};

/** @throws AppError message_missing, also for another user's message. */
export const markRead: Calls['markRead'] = (ctx, actor, { id }) =>
  writing(ctx, async (ctx) => {
    const userId = requireUserId(actor);
    if ((await inboxMessage(ctx.db, userId, id)) === undefined) throw missingMessage(id);
    await markMessageRead(ctx.db, userId, id, nowSec(ctx));
  });

function recordMessageAction(
  ctx: TxContext,
  actor: Actor,
  what: 'sent' | 'changed' | 'deleted',
  facts: { readonly id: number; readonly receivers?: number },
): Promise<void> {
  const name = `message_${what}` as const;
  const event = { event: name, params: { id: facts.id } };
  return recordAction(ctx, actor, { action: name, event, facts });
}

async function messageView(ctx: Context, id: number): Promise<Shown> {
  const row = await messageById(ctx.reads, id);
  if (row === undefined) throw missingMessage(id);
  const sums = await receiptSums(ctx.reads, [id]);
  return viewOf(row, sums.get(id) ?? NO_RECEIPTS);
}

async function messageViews(ctx: Context, rows: readonly MessageRow[]): Promise<Shown[]> {
  const sums = await receiptSums(
    ctx.reads,
    rows.map((row) => row.id),
  );
  return rows.map((row) => viewOf(row, sums.get(row.id) ?? NO_RECEIPTS));
}

function viewOf(row: MessageRow, { total, read }: ReceiptSums): Shown {
  return {
    ...row,
    format: formatOf(row.format),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    stats: {
      total_recipients: total,
      read_count: read,
      unread_count: total - read,
      read_rate: total === 0 ? 0 : Math.round((read / total) * 10_000) / 100,
    },
  };
}

function inboxView(row: InboxRow): z.input<typeof InboxMessage> {
  return {
    ...row,
    format: formatOf(row.format),
    created_at: iso(row.created_at),
    is_read: row.read_at !== null,
    read_at: isoOrNull(row.read_at),
  };
}

/** Other values in imported rows fall back to the format that renders no markup of its own. */
function formatOf(stored: string): Shown['format'] {
  return MESSAGE_FORMATS.find((format) => format === stored) ?? 'markdown';
}

function iso(sec: number): string {
  return new Date(sec * 1000).toISOString();
}

function isoOrNull(sec: number | null): string | null {
  return sec === null ? null : iso(sec);
}

function startOfDay(date: string | undefined): number | undefined {
  return date ? Math.ceil(Date.parse(date) / 1000) : undefined;
}

/** A date without a time means the end of that day. */
function endOfDay(date: string | undefined): number | undefined {
  if (!date) return undefined;
  const isWholeDay = /^\d{4}-\d{2}-\d{2}$/.test(date);
  return Math.floor((Date.parse(date) + (isWholeDay ? DAY_MS - 1 : 0)) / 1000);
}

function missingMessage(id: number): AppError {
  return new AppError('message_missing', { id });
}
