/** API calls of the dashboard: administrators query the site or one user, others themselves. */

import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { tokenCalls } from '../../../../src/api/accounts/token.ts';
import { priceCalls } from '../../../../src/api/billing/price.ts';
import { channelCalls } from '../../../../src/api/channels/channel.ts';
import { channelHealthCalls } from '../../../../src/api/channels/channel-probe.ts';
import {
  dataCalls,
  type HourlyUsage,
  type Overview as OverviewReply,
} from '../../../../src/api/logs/data.ts';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import { client } from '../../lib/api/api.ts';
import { dashboardKeys } from '../../lib/api/query-keys.ts';
import { type DashboardQuery, spansOf } from './range.ts';

export const ownTokens = client({ list: tokenCalls.list });
export const allChannels = client({ list: channelCalls.list });
export const modelPrices = client({ list: priceCalls.list });

export type Overview = z.output<typeof OverviewReply>;
export type Usage = z.output<typeof HourlyUsage>;

const account = client(accountCalls);
const data = client(dataCalls);
const logs = client(logCalls);
const health = client(channelHealthCalls);

/** The user's own account: one response for the balance and the onboarding. */
export const ownAccountQuery = queryOptions({
  queryKey: dashboardKeys.part('self'),
  queryFn: ({ signal }) => account.self({}, { signal }),
});

/** What all queries send: the span, and for administrators the user that they ask for. */
function asked({ isAdmin, user, startSec, endSec }: DashboardQuery) {
  return {
    start_timestamp: startSec,
    end_timestamp: endSec,
    ...(isAdmin && user !== '' && { username: user }),
  };
}

/** The steps of a series, in the reader's time zone. */
function stepsOf({ step }: DashboardQuery) {
  return { step, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}

export function readOverview(filter: DashboardQuery, signal: AbortSignal): Promise<Overview> {
  const query = { ...asked(filter), ...stepsOf(filter) };
  return filter.isAdmin ? data.overview(query, { signal }) : data.overviewOwn(query, { signal });
}

/** Per model and hour. A user's own data is limited to a month per call, so split longer ranges. */
export async function readUsage(
  filter: DashboardQuery,
  signal: AbortSignal,
): Promise<readonly Usage[]> {
  const steps = stepsOf(filter);
  if (filter.isAdmin) return data.list({ ...asked(filter), ...steps }, { signal });
  const parts = await Promise.all(
    spansOf(filter.startSec, filter.endSec).map(([start, end]) =>
      data.listOwn({ start_timestamp: start, end_timestamp: end, ...steps }, { signal }),
    ),
  );
  return parts.flat();
}

export function readSums(
  filter: DashboardQuery,
  signal: AbortSignal,
): ReturnType<typeof logs.stat> {
  const query = asked(filter);
  return filter.isAdmin ? logs.stat(query, { signal }) : logs.statOwn(query, { signal });
}

const RECENT = 6;

export function readErrors(
  filter: DashboardQuery,
  signal: AbortSignal,
): ReturnType<typeof logs.list> {
  const query = { ...asked(filter), type: LOG_TYPE.error, p: 1, page_size: RECENT };
  return filter.isAdmin ? logs.list(query, { signal }) : logs.listOwn(query, { signal });
}

export function readHealth(
  ids: readonly number[],
  signal: AbortSignal,
): ReturnType<typeof health.many> {
  return health.many({ ids: ids.join(',') }, { signal });
}
