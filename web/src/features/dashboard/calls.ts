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

export function readOverview(
  { isAdmin, user, startSec, endSec, step }: DashboardQuery,
  signal: AbortSignal,
): Promise<Overview> {
  const span = {
    start_timestamp: startSec,
    end_timestamp: endSec,
    step,
    ...zone(),
  };
  if (!isAdmin) return data.overviewOwn(span, { signal });
  return data.overview({ ...span, ...(user !== '' && { username: user }) }, { signal });
}

/** The reader's own. */
function zone(): { readonly time_zone: string } {
  return { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}

/** Per model and hour. A user's own data is limited to a month per call, so split longer ranges. */
export async function readUsage(
  filter: DashboardQuery,
  signal: AbortSignal,
): Promise<readonly Usage[]> {
  const { isAdmin, user, startSec, endSec, step } = filter;
  const steps = { ...zone(), step };
  if (isAdmin) {
    const span = { start_timestamp: startSec, end_timestamp: endSec, ...steps };
    return data.list({ ...span, ...(user !== '' && { username: user }) }, { signal });
  }
  const parts = await Promise.all(
    spansOf(startSec, endSec).map(([start, end]) =>
      data.listOwn({ start_timestamp: start, end_timestamp: end, ...steps }, { signal }),
    ),
  );
  return parts.flat();
}

export function readSums(
  { isAdmin, user, startSec, endSec }: DashboardQuery,
  signal: AbortSignal,
): ReturnType<typeof logs.stat> {
  const span = { start_timestamp: startSec, end_timestamp: endSec };
  if (!isAdmin) return logs.statOwn(span, { signal });
  return logs.stat({ ...span, ...(user !== '' && { username: user }) }, { signal });
}

const RECENT = 6;

export function readErrors(
  { isAdmin, user, startSec, endSec }: DashboardQuery,
  type: number,
  signal: AbortSignal,
): ReturnType<typeof logs.list> {
  const query = {
    p: 1,
    page_size: RECENT,
    type,
    start_timestamp: startSec,
    end_timestamp: endSec,
  };
  if (!isAdmin) return logs.listOwn(query, { signal });
  return logs.list({ ...query, ...(user !== '' && { username: user }) }, { signal });
}

export function readHealth(
  ids: readonly number[],
  signal: AbortSignal,
): ReturnType<typeof health.many> {
  return health.many({ ids: ids.join(',') }, { signal });
}
