import type * as z from 'zod/mini';
import type { accountCalls } from '../../../../src/api/accounts/account.ts';
import { type Token as TokenReply, tokenCalls } from '../../../../src/api/accounts/token.ts';
import { TOKEN_STATUS } from '../../../../src/domain/statuses.ts';
import { client } from '../../lib/api/api.ts';

export type Token = z.output<typeof TokenReply>;
export type SelectableGroups = z.output<(typeof accountCalls)['groups']['reply']>;

export const tokens = client(tokenCalls);

export function isEnabled({ status }: Token): boolean {
  return status === TOKEN_STATUS.enabled;
}

/** The reason a token cannot be enabled; undefined if it can. */
export function enableProblem(token: Token, nowSec: number): 'time' | 'quota' | undefined {
  if (token.expired_time !== -1 && token.expired_time <= nowSec) return 'time';
  return !token.unlimited_quota && token.remain_quota <= 0 ? 'quota' : undefined;
}
