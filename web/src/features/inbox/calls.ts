import type * as z from 'zod/mini';
import { type InboxMessage, messageCalls } from '../../../../src/api/messaging/message.ts';
import { client } from '../../lib/api/api.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';

export const inbox = client({
  inbox: messageCalls.inbox,
  read: messageCalls.read,
  markRead: messageCalls.markRead,
});

export type OwnMessage = z.output<typeof InboxMessage>;

export const UNREAD_KEY = messageKeys.all.concat('unread');
