import type * as z from 'zod/mini';
import { type User as UserReply, userCalls } from '../../../../src/api/user.ts';
import { client } from '../../lib/api/api.ts';

export type User = z.output<typeof UserReply>;

export const users = client(userCalls);
