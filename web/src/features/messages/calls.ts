import type * as z from 'zod/mini';
import { userCalls } from '../../../../src/api/accounts/user.ts';
import {
  type Message as MessageReply,
  messageCalls,
} from '../../../../src/api/messaging/message.ts';
import { client } from '../../lib/api/api.ts';

export const recipientUsers = client({ list: userCalls.list, search: userCalls.search });

export type Message = z.output<typeof MessageReply>;
export type Format = Message['format'];

export const messages = client(messageCalls);
