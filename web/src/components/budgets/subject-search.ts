/** The first accounts, API tokens and channels with a part of a name, and the served models. */
import { queryOptions } from '@tanstack/react-query';
import { tokenCalls } from '../../../../src/api/accounts/token.ts';
import { userCalls } from '../../../../src/api/accounts/user.ts';
import { channelCalls } from '../../../../src/api/channels/channel.ts';
import { client } from '../../lib/api/api.ts';
import { RARELY_CHANGED_STALE_MS } from '../../lib/api/query-client.ts';
import { channelKeys } from '../../lib/api/query-keys.ts';
import type { Offer } from '../forms/SearchSelect.tsx';

const OFFERED = { p: 1, page_size: 50 };

const users = client({ search: userCalls.search });
const tokens = client({ search: tokenCalls.search });
const channels = client({ search: channelCalls.search, models: channelCalls.modelsEnabled });

export async function findUsers(keyword: string, signal: AbortSignal): Promise<readonly Offer[]> {
  const { items } = await users.search({ keyword, ...OFFERED }, { signal });
  return items
    .filter(({ DeletedAt }) => DeletedAt === null)
    .map(({ id, username }) => ({ value: String(id), label: username }));
}

export async function findTokens(
  user: number,
  keyword: string,
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const { items } = await tokens.search({ user, keyword, ...OFFERED }, { signal });
  return items.map(({ id, name }) => ({ value: String(id), label: `${name} #${id}` }));
}

export async function findChannels(
  keyword: string,
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const { items } = await channels.search({ keyword, ...OFFERED }, { signal });
  return items.map(({ id, name }) => ({ value: String(id), label: `${name} #${id}` }));
}

export const servedModelsQuery = queryOptions({
  queryKey: channelKeys.part('models-enabled'),
  queryFn: ({ signal }) => channels.models({}, { signal }),
  staleTime: RARELY_CHANGED_STALE_MS,
});
