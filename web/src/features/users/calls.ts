import type * as z from 'zod/mini';
import { tokenCalls } from '../../../../src/api/accounts/token.ts';
import { type User as UserReply, userCalls } from '../../../../src/api/accounts/user.ts';
import { client } from '../../lib/api/api.ts';

export const userTokens = client({ list: tokenCalls.list });

export type User = z.output<typeof UserReply>;

export const users = client(userCalls);
