import type * as z from 'zod/mini';
import { userCalls } from '../../../../src/api/accounts/user.ts';
import {
  type Message as MessageReply,
  messageCalls,
} from '../../../../src/api/messaging/message.ts';
import { client } from '../../lib/api/api.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type Message = z.output<typeof MessageReply>;
export type Format = Message['format'];

export const messages = client(messageCalls);
export const users = client({ list: userCalls.list, search: userCalls.search });

export const messageKeys = entityKeys('message');
export const userKeys = entityKeys('user');

/** Converts the API's ISO time to epoch seconds. */
export function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
