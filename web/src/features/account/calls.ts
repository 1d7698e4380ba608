import { queryOptions } from '@tanstack/react-query';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { noticeCalls } from '../../../../src/api/messaging/notice.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { account } from '../../lib/api/account.ts';
import { client } from '../../lib/api/api.ts';
import { checkInKeys } from '../../lib/api/query-keys.ts';

export const oauth = client(oauthCalls);
export const notices = client(noticeCalls);
const logs = client({ listOwn: logCalls.listOwn });

export const checkInQuery = queryOptions({
  queryKey: checkInKeys.part('status'),
  queryFn: ({ signal }) => account.checkInStatus({}, { signal }),
});

const MAX_ENTRIES = 100;

/** Epoch seconds of the last check-ins, newest first. */
export const checkInTimesQuery = queryOptions({
  queryKey: checkInKeys.part('times'),
  queryFn: async ({ signal }) => {
    const query = { type: LOG_TYPE.check_in, p: 1, page_size: MAX_ENTRIES };
    const { items } = await logs.listOwn(query, { signal });
    return items.map((entry) => entry.created_at);
  },
});
