import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { accountCalls, type Self as SelfReply } from '../../../../src/api/accounts/account.ts';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { noticeCalls } from '../../../../src/api/messaging/notice.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { client } from '../../lib/api/api.ts';
import { CALM_FRESH_MS } from '../../lib/api/query-client.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type Self = z.output<typeof SelfReply>;

export const account = client(accountCalls);
export const oauth = client(oauthCalls);
export const notices = client(noticeCalls);
const logs = client({ listOwn: logCalls.listOwn });

export const selfKeys = entityKeys('self');
export const checkInKeys = entityKeys('check-in');

export const selfReading = (id: number) =>
  queryOptions({
    queryKey: selfKeys.one(id),
    queryFn: ({ signal }) => account.self({}, { signal }),
  });

export const modelsReading = queryOptions({
  queryKey: ['account', 'models'],
  queryFn: ({ signal }) => account.models({}, { signal }),
  staleTime: CALM_FRESH_MS,
});

export const checkInReading = queryOptions({
  queryKey: checkInKeys.part('status'),
  queryFn: ({ signal }) => account.checkInStatus({}, { signal }),
});

const MOST_LINES = 100;

/** Epoch seconds of the last check-ins, newest first. */
export const checkInTimes = queryOptions({
  queryKey: checkInKeys.part('times'),
  queryFn: async ({ signal }) => {
    const query = { type: LOG_TYPE.check_in, p: 1, page_size: MOST_LINES };
    const { items } = await logs.listOwn(query, { signal });
    return items.map((line) => line.created_at);
  },
});
