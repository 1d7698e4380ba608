import type * as z from 'zod/mini';
import { type InboxMessage, messageCalls } from '../../../../src/api/messaging/message.ts';
import { client } from '../../lib/api/api.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type OwnMessage = z.output<typeof InboxMessage>;

export const messages = client({
  inbox: messageCalls.inbox,
  read: messageCalls.read,
  markRead: messageCalls.markRead,
});

/** Shared with the bell of the top bar, whose count is under the part `unread`. */
export const messageKeys = entityKeys('message');
export const UNREAD_KEY = messageKeys.all.concat('unread');

/** Converts the API's ISO time to epoch seconds. */
export function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
