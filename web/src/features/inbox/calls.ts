import type * as z from 'zod/mini';
import type { InboxMessage } from '../../../../src/api/message.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';

export type OwnMessage = z.output<typeof InboxMessage>;

export const UNREAD_KEY = messageKeys.all.concat('unread');
