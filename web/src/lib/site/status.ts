/** The gateway's public status, which the shell and most screens depend on. */

import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, client } from '../api/api.ts';
import { STORED } from '../browser/stored.ts';
import type { Status } from './site-status.ts';

/** The last known status, and why the latest attempt failed. */
export interface StatusState {
  readonly status: Status | undefined;
  readonly problem: ApiError | undefined;
  /** Failed attempts since the last success. */
  readonly failures: number;
}

const KEY = ['status'] as const;
const CALM_MS = 30_000;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/**
 * Never fails: if the gateway is unreachable, the last known status is shown beside a warning, and
 * retries back off.
 */
export const statusQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ client: cache, signal }) => readStatus(cache, signal),
  refetchInterval: ({ state }) => nextRefetchMs(state.data?.failures ?? 0),
});

export function nextRefetchMs(failures: number): number {
  if (failures === 0) return CALM_MS;
  return RETRY_MS[failures - 1] ?? CALM_MS;
}

async function readStatus(cache: QueryClient, signal: AbortSignal): Promise<StatusState> {
  try {
    // The call tables and their schemas are not part of the initial bundle.
    const { statusCalls } = await import('../../../../src/api/site/status.ts');
    const status = await client({ get: statusCalls.get }).get({}, { signal });
    storeStatus(status);
    return { status, problem: undefined, failures: 0 };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const before = cache.getQueryData<StatusState>(KEY);
    return { status: before?.status, problem: error, failures: (before?.failures ?? 0) + 1 };
  }
}

/** The current status; until it loads, the one stored in this browser. */
export function useStatus(): Status | undefined {
  return useQuery(statusQuery).data?.status ?? STORED.status.read();
}

/** Stores the parts that screens read from local storage, each under its own key. */
export function storeStatus(status: Status): void {
  STORED.status.write(status);
  STORED.dataExportOn.write(status.enable_data_export);
  STORED.drawingOn.write(status.enable_drawing);
  STORED.tasksOn.write(status.enable_task);
  STORED.chats.write(JSON.stringify(status.chats));
  STORED.footerHtml.write(status.footer_html);
  STORED.quotaPerUnit.write(status.quota_per_unit);
  STORED.displayInCurrency.write(status.display_in_currency);
  const granularity = GRANULARITIES.find((name) => name === status.data_export_default_time);
  if (granularity !== undefined) STORED.dataGranularity.write(granularity);
  if (STORED.sideMenuFolded.read() === undefined)
    STORED.sideMenuFolded.write(status.default_collapse_sidebar);
}

const GRANULARITIES = ['hour', 'day', 'week'] as const;
