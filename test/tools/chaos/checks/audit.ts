/** Compares the client results and the provider's responses with the ledger. */
import { request } from 'undici';
import { localApi } from '../../../../src/handlers.ts';
import { jobRuns } from '../../../../src/store/tables/job-runs-table.ts';
import type { ClientCall, Seen } from '../load.ts';
import { type Cluster, STREAM_TIMEOUT_SEC, upstreamCallsUrl } from '../site/cluster.ts';
import type { UpstreamCall } from '../site/upstream.ts';

export interface Audit {
  readonly requests: number;
  readonly seen: Readonly<Partial<Record<Seen, number>>>;
  /** Calls without a complete response, by what the client received. */
  readonly how: readonly OutcomeTimes[];
  /** Calls that reached the provider. */
  readonly reached: number;
  readonly charges: number;
  /** Answered in full but not charged. */
  readonly lost: number;
  /** Charged more than once. */
  readonly doubled: number;
  /**
   * Answered in full but charged another amount; or not answered in full but charged more than a
   * full response costs.
   */
  readonly wrong: number;
  /** Refused by the gateway but charged. */
  readonly unjust: number;
  /** Charges without a matching call. */
  readonly strange: number;
  readonly holdsOpen: number;
  readonly isLedgerClean: boolean;
  /** Jobs that should have run recently but did not. */
  readonly stuckJobs: readonly string[];
  /** Examples of wrong calls. */
  readonly examples: readonly string[];
}

export interface OutcomeTimes {
  readonly how: string;
  readonly calls: number;
  readonly medianMs: number;
  /** The 95th percentile. */
  readonly mostMs: number;
  readonly slowestMs: number;
}

/**
 * Time after the load within which holds may still be released: a silent node counts as dead after
 * 30 s, and a node releases its own holds whose commit arrived late after 60 s.
 */
export const HOLDS_TIMEOUT_MS = 80_000;
/** Jobs due at least every minute. */
const FREQUENT_JOBS = ['task_poll', 'background_answers', 'token_expiry'];
/** Interval, lease of a dead holder, and the check for it. */
const JOB_TIMEOUT_MS = 110_000;
/** Allowed deviation of the estimate for a partial response. */
const COUNT_SLACK = 64;
const MOST_EXAMPLES = 20;

export async function audit(cluster: Cluster, calls: readonly ClientCall[]): Promise<Audit> {
  const answer = await request(upstreamCallsUrl(cluster));
  const reached = (await answer.body.json()) as UpstreamCall[]; // from test code
  const books = await cluster.withSite(async ({ ctx }) => {
    const columns = ['key', 'user_units', 'detail'];
    const rows = await ctx.reads('ledger').where({ cause: 'charge' }).select(columns);
    const charges = rows.map((row) => ({
      requestId: String(row.key).replace(/^call:/, ''),
      units: -Number(row.user_units),
      isEstimated: String(row.detail).includes('"usage_source":"estimated"'),
    }));
    const { ok, checked } = await localApi(ctx, { kind: 'operator' }).ledger.verify({ full: true });
    return { charges, ok, holds: checked.holds, jobs: await jobRuns(ctx.reads) };
  });
  const markerOf = new Map(reached.map(({ requestId, marker }) => [requestId, marker]));
  const chargesOf = new Map<string, Charge[]>();
  let strange = 0;
  for (const { requestId, ...charge } of books.charges) {
    const marker = markerOf.get(requestId);
    if (marker === undefined) strange += 1;
    else chargesOf.set(marker, [...(chargesOf.get(marker) ?? []), charge]);
  }
  const verdicts = calls.map((call) => {
    const charged = chargesOf.get(call.marker) ?? [];
    return { call, charged, verdict: judge(call, charged) };
  });
  const count = (what: Verdict) => verdicts.filter(({ verdict }) => verdict === what).length;
  return {
    requests: calls.length,
    seen: tally(calls.map(({ seen }) => seen)),
    how: timesByOutcome(calls.filter(({ seen }) => seen !== 'answered')),
    reached: new Set(reached.map(({ marker }) => marker)).size,
    charges: books.charges.length,
    lost: count('lost'),
    doubled: count('doubled'),
    wrong: count('wrong'),
    unjust: count('unjust'),
    strange,
    holdsOpen: books.holds,
    isLedgerClean: books.ok,
    stuckJobs: books.jobs
      .filter(({ name }) => FREQUENT_JOBS.includes(name))
      .filter((run) => run.nowMs - Math.max(run.startedAtMs, run.knownSinceMs) > JOB_TIMEOUT_MS)
      .map(({ name }) => name),
    examples: verdicts
      .filter(({ verdict }) => verdict !== 'right')
      .slice(0, MOST_EXAMPLES)
      .map(({ call, verdict, charged }) => `${verdict}: ${JSON.stringify({ ...call, charged })}`),
  };
}

export interface Charge {
  readonly units: number;
  /** Estimated by the gateway, because the provider reported no usage. */
  readonly isEstimated: boolean;
}

export type Verdict = 'right' | 'lost' | 'doubled' | 'wrong' | 'unjust';

/** Implements docs/billing.md, "What a call costs, by outcome". */
export function judge({ seen, units, tookMs }: ClientCall, charged: readonly Charge[]): Verdict {
  const [once] = charged;
  if (charged.length > 1) return 'doubled';
  if (once === undefined) return seen === 'answered' ? 'lost' : 'right';
  if (seen === 'refused') return 'unjust';
  // A connection cut between the last text and the usage is detected after the longest silence.
  const isCounted = once.isEstimated && tookMs >= STREAM_TIMEOUT_SEC * 1000;
  if (seen === 'answered' && !isCounted) return once.units === units ? 'right' : 'wrong';
  return once.units > 0 && once.units <= units + COUNT_SLACK ? 'right' : 'wrong';
}

/** Returns whether the run found no errors. */
export function isClean(found: Audit): boolean {
  const { lost, doubled, wrong, unjust, strange, holdsOpen, isLedgerClean, stuckJobs } = found;
  const bad = lost + doubled + wrong + unjust + strange + holdsOpen + stuckJobs.length;
  return bad === 0 && isLedgerClean;
}

function timesByOutcome(calls: readonly ClientCall[]): OutcomeTimes[] {
  const times = new Map<string, number[]>();
  for (const { seen, how, tookMs } of calls) {
    const name = `${seen}: ${how}`;
    times.set(name, [...(times.get(name) ?? []), tookMs]);
  }
  const outcomes = [...times].map(([how, took]) => {
    took.sort((one, other) => one - other);
    const part = (share: number) => took[Math.floor(took.length * share)] ?? 0;
    const figures = { medianMs: part(0.5), mostMs: part(0.95), slowestMs: took.at(-1) ?? 0 };
    return { how, calls: took.length, ...figures };
  });
  return outcomes.sort((one, other) => other.calls - one.calls);
}

function tally<Word extends string>(words: readonly Word[]): Partial<Record<Word, number>> {
  const counts: Partial<Record<Word, number>> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
