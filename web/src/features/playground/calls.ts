import { queryOptions } from '@tanstack/react-query';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { client } from '../../lib/api/api.ts';
import { CALM_FRESH_MS } from '../../lib/api/query-client.ts';

const account = client({ groups: accountCalls.groups, models: accountCalls.models });

export const groupsReading = queryOptions({
  queryKey: ['account', 'groups'],
  queryFn: ({ signal }) => account.groups({}, { signal }),
  staleTime: CALM_FRESH_MS,
});

export const modelsReading = queryOptions({
  queryKey: ['account', 'models'],
  queryFn: ({ signal }) => account.models({}, { signal }),
  staleTime: CALM_FRESH_MS,
});
