import type * as z from 'zod/mini';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { tokenCalls } from '../../../../src/api/accounts/token.ts';
import { type User as UserReply, userCalls } from '../../../../src/api/accounts/user.ts';
import { client } from '../../lib/api/api.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type User = z.output<typeof UserReply>;

export const users = client(userCalls);
export const ownAccount = client({ self: accountCalls.self, editSelf: accountCalls.editSelf });
export const tokens = client({ list: tokenCalls.list });

export const userKeys = entityKeys('user');
/** Shared with the screens of the user's own account. */
export const selfKeys = entityKeys('self');
export const tokenKeys = entityKeys('token');
