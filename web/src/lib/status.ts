/** What the gateway says of itself to everyone; the shell and most screens begin with it. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { statusCalls } from '../../../src/api/status.ts';
import { ApiError, ask } from './api.ts';

export type Status = z.output<typeof statusCalls.get.reply>;

/** The last status that was heard, and why the newest attempt brought none. */
export interface Reading {
  readonly status: Status | undefined;
  readonly problem: ApiError | undefined;
  /** Failed attempts since the last success. */
  readonly failures: number;
}

const KEY = ['status'] as const;
const CALM_MS = 30_000;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/**
 * Never fails: a gateway that is away is something to show beside its last known name, and the
 * next attempts come by themselves, ever slower.
 */
export const statusReading = queryOptions({
  queryKey: KEY,
  queryFn: ({ client, signal }) => readStatus(client, signal),
  refetchInterval: ({ state }) => nextReadingMs(state.data?.failures ?? 0),
});

export function nextReadingMs(failures: number): number {
  if (failures === 0) return CALM_MS;
  return RETRY_MS[failures - 1] ?? CALM_MS;
}

async function readStatus(client: QueryClient, signal: AbortSignal): Promise<Reading> {
  const { path, reply } = statusCalls.get;
  try {
    const status = await ask({ path, signal }, reply);
    return { status, problem: undefined, failures: 0 };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const before = client.getQueryData<Reading>(KEY);
    return { status: before?.status, problem: error, failures: (before?.failures ?? 0) + 1 };
  }
}
