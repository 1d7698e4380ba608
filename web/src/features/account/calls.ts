import { queryOptions } from '@tanstack/react-query';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { noticeCalls } from '../../../../src/api/messaging/notice.ts';
import { account } from '../../lib/api/account.ts';
import { client } from '../../lib/api/api.ts';
import { checkInKeys } from '../../lib/api/query-keys.ts';

export const oauth = client(oauthCalls);
export const notices = client(noticeCalls);

export const checkInQuery = queryOptions({
  queryKey: checkInKeys.part('status'),
  queryFn: ({ signal }) => account.checkInStatus({}, { signal }),
});
