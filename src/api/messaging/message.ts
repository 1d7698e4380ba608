/** Messages from administrators to users, and the users' inbox. */
import * as z from 'zod/mini';
import { ById, call, Id, PageQuery, pageSchema } from '../call.ts';
import { FilterText, Flag, PlainLine } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

export const MESSAGE_FORMATS = ['markdown', 'html'] as const;

const MOST_USER_IDS = 100_000;

function TrimmedText(longest: number) {
  return z.string().check(z.trim(), z.minLength(1), z.maxLength(longest));
}

const Title = TrimmedText(200).check(PlainLine);
const Content = TrimmedText(100_000);
const Format = z.enum(MESSAGE_FORMATS);

/** ISO 8601 in UTC. */
const Time = z.string();

export const Message = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  format: Format,
  created_at: Time,
  updated_at: Time,
  /** 0 when written at the machine's own terminal. */
  created_by: z.int(),
  stats: z.object({
    total_recipients: z.int(),
    read_count: z.int(),
    unread_count: z.int(),
    /** Percent, two decimals. */
    read_rate: z.number(),
  }),
});

export const Recipient = z.object({
  user_id: z.int(),
  /** Empty when the account no longer exists. */
  username: z.string(),
  display_name: z.string(),
  read_at: z.nullable(Time),
});

export const InboxMessage = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  format: Format,
  created_at: Time,
  is_read: z.boolean(),
  read_at: z.nullable(Time),
});

/** An ISO date or time, or empty; a date alone means the whole day in UTC. */
const FilterDate = z.optional(
  z.string().check(
    z.trim(),
    z.refine((text) => text === '' || !Number.isNaN(Date.parse(text)), problemMessage('not_date')),
  ),
);

const MessageList = z.extend(PageQuery, {
  /** Part of the title or content. */
  keyword: FilterText,
  start_date: FilterDate,
  end_date: FilterDate,
});

const listRow = {
  input: MessageList,
  reply: pageSchema(Message),
} as const;

export const messageCalls = {
  list: call.admin('GET /api/admin/messages', { ...listRow, summary: 'Lists messages' }),
  search: call.admin('GET /api/admin/messages/search', {
    ...listRow,
    summary: 'Searches messages',
  }),
  get: call.admin('GET /api/admin/messages/:id', {
    summary: 'Shows a message',
    input: ById,
    reply: Message,
  }),
  create: call.admin('POST /api/admin/messages', {
    summary: 'Sends a message to users, to a group or to all',
    input: z.object({
      title: Title,
      content: Content,
      format: z._default(Format, 'markdown'),
      /** Duplicates and unknown accounts are skipped. */
      user_ids: z._default(z.array(Id).check(z.maxLength(MOST_USER_IDS)), []),
      /** All members of a group. */
      group: FilterText,
      to_all: z._default(z.boolean(), false),
    }),
    reply: Message,
  }),
  edit: call.admin('PUT /api/admin/messages/:id', {
    summary: 'Changes the text of a message',
    input: z.object({ id: Id, title: Title, content: Content, format: z.optional(Format) }),
    reply: Message,
  }),
  remove: call.admin('DELETE /api/admin/messages/:id', {
    summary: 'Deletes a message with the records of its recipients',
    input: ById,
  }),
  recipients: call.admin('GET /api/admin/messages/:id/recipients', {
    summary: 'Lists the recipients of a message and when they read it',
    input: z.extend(PageQuery, { id: Id }),
    reply: pageSchema(Recipient),
  }),
  inbox: call.user('GET /api/user/messages', {
    summary: "Lists the messages in the caller's inbox",
    input: z.extend(PageQuery, { unread: z.optional(Flag) }),
    reply: pageSchema(InboxMessage),
  }),
  unreadCount: call.user('GET /api/user/messages/unread_count', {
    summary: 'Counts the unread messages of the caller',
    reply: z.object({ unread_count: z.int() }),
  }),
  read: call.user('GET /api/user/messages/:id', {
    summary: "Shows a message in the caller's inbox",
    input: ById,
    reply: InboxMessage,
  }),
  markRead: call.user('PUT /api/user/messages/:id/read', {
    summary: "Marks a message in the caller's inbox as read",
    input: ById,
  }),
};
