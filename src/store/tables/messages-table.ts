/** Rows of `messages`, and of `user_messages`: recipients and when each first read a message. */
import type { Knex } from 'knex';
import { whereContains, whereWithin } from '../sql/filters.ts';
import { insertId, insertRows } from '../sql/inserts.ts';
import {
  columnNumbers,
  fromColumn,
  NEWEST_FIRST,
  nullableNumberValue,
  numberValue,
  type PageOfRows,
  type RowOf,
  type RowWindow,
  rowCount,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { chunksOf, type Row } from '../sql/sql-dialect.ts';

/** Receipts written, or recipients looked up, per statement. */
const BATCH_ROWS = 500;

const MESSAGES = rowReader({
  id: numberValue,
  title: textValue,
  content: textValue,
  format: textValue,
  /** Epoch seconds. */
  created_at: numberValue,
  updated_at: numberValue,
  created_by: numberValue,
});
export type MessageRow = RowOf<typeof MESSAGES>;

export interface MessageFilter {
  /** Part of title or content. */
  readonly keyword?: string | undefined;
  /** Epoch seconds, both ends included. */
  readonly sinceSec?: number | undefined;
  readonly untilSec?: number | undefined;
}

export const pageOfMessages = MESSAGES.pages(
  (reads, { keyword, sinceSec, untilSec }: MessageFilter) => {
    const query = reads('messages');
    whereContains(query, ['title', 'content'], keyword);
    whereWithin(query, 'created_at', sinceSec, untilSec);
    return query;
  },
  [{ column: 'created_at', order: 'desc' }, ...NEWEST_FIRST],
);

export function messageById(db: Knex, id: number): Promise<MessageRow | undefined> {
  return MESSAGES.first(db('messages').where({ id }));
}

/** Returns the new message's id. */
export function insertMessage(trx: Knex.Transaction, row: Omit<MessageRow, 'id'>): Promise<number> {
  return insertId(trx, 'messages', row);
}

/** False if the message does not exist. */
export async function updateMessage(
  trx: Knex.Transaction,
  id: number,
  fields: Partial<Pick<MessageRow, 'title' | 'content' | 'format' | 'updated_at'>>,
): Promise<boolean> {
  return (await trx('messages').where({ id }).update(fields)) > 0;
}

/** Deletes it with all its receipts. False if the message does not exist. */
export async function deleteMessage(trx: Knex.Transaction, id: number): Promise<boolean> {
  const gone = await trx('messages').where({ id }).delete();
  await trx('user_messages').where({ message_id: id }).delete();
  return gone > 0;
}

export interface Delivery {
  readonly messageId: number;
  readonly atSec: number;
}

/** Delivers to those of `userIds` whose account is open; returns the number of recipients. */
export async function deliverTo(
  trx: Knex.Transaction,
  delivery: Delivery,
  userIds: readonly number[],
): Promise<number> {
  const sortedIds = [...new Set(userIds)].sort((a, b) => a - b);
  let delivered = 0;
  for (const part of chunksOf(sortedIds, BATCH_ROWS)) {
    const ids = await columnNumbers(openAccounts(trx).whereIn('id', part));
    delivered += await deliver(trx, delivery, ids);
  }
  return delivered;
}

/** Delivers to every open account, or to those of one group; returns the number of recipients. */
export async function deliverToAll(
  trx: Knex.Transaction,
  delivery: Delivery,
  group: string | undefined,
): Promise<number> {
  let delivered = 0;
  let last = 0;
  for (;;) {
    const some = openAccounts(trx).where('id', '>', last).limit(BATCH_ROWS);
    if (group !== undefined) some.where('group', group);
    const ids = await columnNumbers(some);
    delivered += await deliver(trx, delivery, ids);
    last = ids.at(-1) ?? last;
    if (ids.length < BATCH_ROWS) return delivered;
  }
}

function openAccounts(trx: Knex.Transaction): Knex.QueryBuilder {
  return trx('users').whereNull('deleted_at').orderBy('id');
}

async function deliver(
  trx: Knex.Transaction,
  { messageId, atSec }: Delivery,
  userIds: readonly number[],
): Promise<number> {
  const receipts = userIds.map((user_id) => ({
    user_id,
    message_id: messageId,
    created_at: atSec,
  }));
  if (receipts.length > 0) await insertRows(trx, 'user_messages', receipts);
  return receipts.length;
}

export interface ReceiptSums {
  readonly total: number;
  readonly read: number;
}

/** Receipts of each message that has any, in one statement. */
export async function receiptSums(
  reads: Knex,
  messageIds: readonly number[],
): Promise<Map<number, ReceiptSums>> {
  if (messageIds.length === 0) return new Map();
  const rows: Row[] = await reads('user_messages')
    .whereIn('message_id', [...messageIds])
    .groupBy('message_id')
    .select('message_id')
    .count({ total: '*', read: 'read_at' });
  return new Map(
    rows.map((row) => [
      numberValue(row.message_id),
      { total: numberValue(row.total), read: numberValue(row.read) },
    ]),
  );
}

const RECIPIENTS = rowReader({
  user_id: fromColumn('receipt.user_id', numberValue),
  username: fromColumn('users.username', textValue),
  display_name: fromColumn('users.display_name', textValue),
  /** Epoch seconds, or null while unread. */
  read_at: fromColumn('receipt.read_at', nullableNumberValue),
});

/** Ordered by user id; deleted accounts have empty names. */
export const pageOfRecipients = RECIPIENTS.pages(
  (reads, messageId: number) =>
    reads('user_messages as receipt')
      .leftJoin('users', 'users.id', 'receipt.user_id')
      .where('receipt.message_id', messageId),
  [{ column: 'receipt.user_id', order: 'asc' }],
);

const INBOX = rowReader({
  id: fromColumn('messages.id', numberValue),
  title: fromColumn('messages.title', textValue),
  content: fromColumn('messages.content', textValue),
  format: fromColumn('messages.format', textValue),
  created_at: fromColumn('messages.created_at', numberValue),
  read_at: fromColumn('receipt.read_at', nullableNumberValue),
});
export type InboxRow = RowOf<typeof INBOX>;

function inboxOf(reads: Knex, userId: number): Knex.QueryBuilder {
  return reads('user_messages as receipt')
    .join('messages', 'messages.id', 'receipt.message_id')
    .where('receipt.user_id', userId);
}

/** Newest first: a later message has a higher id. */
export function pageOfInbox(
  reads: Knex,
  userId: number,
  onlyUnread: boolean,
  window: RowWindow,
): Promise<PageOfRows<InboxRow>> {
  const query = inboxOf(reads, userId);
  if (onlyUnread) query.whereNull('receipt.read_at');
  return INBOX.page(query, window, [{ column: 'receipt.message_id', order: 'desc' }]);
}

/** The message, if this user is a recipient. */
export function inboxMessage(
  reads: Knex,
  userId: number,
  messageId: number,
): Promise<InboxRow | undefined> {
  return INBOX.first(inboxOf(reads, userId).where('receipt.message_id', messageId));
}

export function countUnread(reads: Knex, userId: number): Promise<number> {
  return rowCount(reads('user_messages').where({ user_id: userId }).whereNull('read_at'));
}

/** Records when it was first read. */
export async function markMessageRead(
  trx: Knex.Transaction,
  userId: number,
  messageId: number,
  atSec: number,
): Promise<void> {
  await trx('user_messages')
    .where({ user_id: userId, message_id: messageId })
    .whereNull('read_at')
    .update({ read_at: atSec });
}
