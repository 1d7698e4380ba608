/** The signed-in account, which several features read. */
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { accountCalls, type Self as SelfReply } from '../../../../src/api/accounts/account.ts';
import type { SessionUser } from '../session/session-user.ts';
import { client } from './api.ts';
import { RARELY_CHANGED_STALE_MS } from './query-client.ts';
import { selfKeys } from './query-keys.ts';

export type Self = z.output<typeof SelfReply>;

export const account = client(accountCalls);

export const selfQuery = (id: number) =>
  queryOptions({
    queryKey: selfKeys.one(id),
    queryFn: ({ signal }) => account.self({}, { signal }),
  });

/** Models the user may call. */
export const callableModelsQuery = modelsQuery({});

/** Models that can chat; '' is the user's own group. */
export function chatModelsQuery(group: string, own: string) {
  return modelsQuery({ endpoint: 'chat', group: group || own });
}

function modelsQuery(wanted: Parameters<typeof account.models>[0]) {
  return queryOptions({
    queryKey: ['account', 'models', wanted],
    queryFn: ({ signal }) => account.models(wanted, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
}

/** Groups the user may choose. */
export const selectableGroupsQuery = queryOptions({
  queryKey: ['account', 'groups'],
  queryFn: ({ signal }) => account.groups({}, { signal }),
  staleTime: RARELY_CHANGED_STALE_MS,
});

/** The user of a session that a call has just started. */
export async function signedInUser(): Promise<SessionUser> {
  const { id, username, display_name, role, status, group } = await account.self({});
  return { id, username, display_name, role, status, group };
}
