import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { type Token as TokenReply, tokenCalls } from '../../../../src/api/accounts/token.ts';
import { TOKEN_STATUS } from '../../../../src/domain/statuses.ts';
import { client } from '../../lib/api/api.ts';
import { CALM_FRESH_MS } from '../../lib/api/query-client.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type Token = z.output<typeof TokenReply>;
export type Groups = z.output<(typeof accountCalls)['groups']['reply']>;

export const tokens = client(tokenCalls);
export const tokenKeys = entityKeys('token');

const account = client({
  groups: accountCalls.groups,
  models: accountCalls.models,
  self: accountCalls.self,
});

/** Groups the user may choose for a token. */
export const groupsReading = queryOptions({
  queryKey: ['account', 'groups'],
  queryFn: ({ signal }) => account.groups({}, { signal }),
  staleTime: CALM_FRESH_MS,
});

/** Models the user may call. */
export const modelsReading = queryOptions({
  queryKey: ['account', 'models'],
  queryFn: ({ signal }) => account.models({}, { signal }),
  staleTime: CALM_FRESH_MS,
});

/** Lists have only the masked key, so the whole one is fetched on demand. */
export async function keyOf({ id }: Pick<Token, 'id'>): Promise<string> {
  return (await tokens.reveal({ id })).key;
}

export function isEnabled({ status }: Token): boolean {
  return status === TOKEN_STATUS.enabled;
}

/** The reason a token cannot be enabled; undefined if it can. */
export function lackOf(token: Token, nowSec: number): 'time' | 'quota' | undefined {
  if (token.expired_time !== -1 && token.expired_time <= nowSec) return 'time';
  return !token.unlimited_quota && token.remain_quota <= 0 ? 'quota' : undefined;
}
