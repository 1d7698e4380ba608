/**
 * Calls limited tokens more often than allowed. Admitted calls are counted only from what clients
 * know for certain, so late clocks cause no findings. Nodes without Redis count on their own, and a
 * Redis that lost its data counts from zero (docs/operations.md): that much excess is allowed, and
 * no more.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientCall } from '../load.ts';
import { type Cluster, clockAheadMs } from '../site/cluster.ts';
import { RATE_PERIOD_SEC } from '../site/site-setup.ts';

export interface Alone {
  readonly node: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Epoch ms of events that allow exceeding a limit. */
export interface Excuses {
  /** Periods in which a node could not reach Redis. */
  readonly alone: readonly Alone[];
  readonly emptyRedisAtMs: readonly number[];
  readonly nodeStartsAtMs: readonly number[];
}

export interface Excess {
  readonly what: string;
  readonly atMs: number;
  readonly calls: number;
  readonly allowed: number;
}

export interface Limits {
  readonly rated: { readonly calls: number; readonly most: number; readonly limit: number };
  readonly capped: { readonly calls: number; readonly most: number; readonly limit: number };
  readonly excesses: readonly Excess[];
}

/** Log lines may be written slightly before or after the event. */
const LOG_SLACK_MS = 500;

export function limitsHeld(cluster: Cluster, calls: readonly ClientCall[]): Limits {
  const excuses = excusesOf(cluster);
  const { rated, capped } = cluster.setup;
  const ofRated = calls.filter((call) => call.of === 'rated' && call.seen === 'answered');
  const ofCapped = calls.filter((call) => call.of === 'capped');
  const inWindow = ratedGroups(ofRated);
  const atOnce = cappedGroups(ofCapped);
  return {
    rated: { calls: ofRated.length, most: mostOf(inWindow), limit: rated.limit },
    capped: { calls: ofCapped.length, most: mostOf(atOnce), limit: capped.limit },
    excesses: [
      ...excessesIn('calls in a window', inWindow, rated.limit, excuses),
      ...excessesIn('calls at once', atOnce, capped.limit, excuses),
    ],
  };
}

/** Calls certainly admitted within one window, or certainly running at one moment. */
export interface Group {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calls: number;
}

/** A call is admitted between its sending and its response. */
export function ratedGroups(calls: readonly ClientCall[]): Group[] {
  const windowMs = RATE_PERIOD_SEC * 1_000;
  const sorted = calls.toSorted((one, other) => one.sentAtMs - other.sentAtMs);
  return sorted.map(({ sentAtMs: fromMs }, at) => {
    const toMs = fromMs + windowMs;
    let count = 0;
    for (let next = at; next < sorted.length; next += 1) {
      const call = sorted[next];
      if (call === undefined || call.sentAtMs >= toMs) break;
      if (call.sentAtMs + call.tookMs < toMs) count += 1;
    }
    return { fromMs, toMs, calls: count };
  });
}

/** A call runs from its first piece until one well before its last. */
export function cappedGroups(calls: readonly ClientCall[]): Group[] {
  const running = calls.flatMap(({ running, sentAtMs }) =>
    running === undefined ? [] : [{ ...running, sentAtMs }],
  );
  return running.map(({ fromMs: momentMs }) => {
    const others = running.filter(({ fromMs, toMs }) => fromMs <= momentMs && momentMs < toMs);
    const fromMs = Math.min(...others.map(({ sentAtMs }) => sentAtMs));
    return { fromMs, toMs: momentMs, calls: others.length };
  });
}

/**
 * Maximum number of independent counters: Redis, each of its restarts, and every node without it.
 */
export function countersIn({ fromMs, toMs }: Group, excuses: Excuses): number {
  const overlaps = (span: Pick<Alone, 'fromMs' | 'toMs'>) =>
    span.toMs >= fromMs - LOG_SLACK_MS && span.fromMs <= toMs + LOG_SLACK_MS;
  const isIn = (atMs: number) => overlaps({ fromMs: atMs, toMs: atMs });
  const alone = new Set(excuses.alone.filter(overlaps).map(({ node }) => node));
  const fresh = alone.size > 0 ? excuses.nodeStartsAtMs.filter(isIn).length : 0;
  return 1 + alone.size + fresh + excuses.emptyRedisAtMs.filter(isIn).length;
}

function excessesIn(
  what: string,
  groups: readonly Group[],
  limit: number,
  excuses: Excuses,
): Excess[] {
  return groups.flatMap((group) => {
    if (group.calls <= limit) return [];
    const allowed = limit * countersIn(group, excuses);
    return group.calls > allowed ? [{ what, atMs: group.fromMs, calls: group.calls, allowed }] : [];
  });
}

function mostOf(groups: readonly Group[]): number {
  return groups.reduce((most, { calls }) => Math.max(most, calls), 0);
}

function excusesOf({ folder, nodes, emptyRedisAtMs, nodeStarts }: Cluster): Excuses {
  const alone = nodes.flatMap((node) => {
    const { name } = node;
    const file = path.join(folder, `${name}.log`);
    if (!existsSync(file)) return [];
    const startsAtMs = nodeStarts.filter((start) => start.node === name).map(({ atMs }) => atMs);
    const lines = readFileSync(file, 'utf8').split('\n');
    return aloneIn(name, lines, { startsAtMs, aheadMs: clockAheadMs(node) });
  });
  return { alone, emptyRedisAtMs, nodeStartsAtMs: nodeStarts.map(({ atMs }) => atMs) };
}

interface NodeTimes {
  /** Epoch ms of its starts, in order. */
  readonly startsAtMs: readonly number[];
  /** How far its clock, and thus its log, is ahead. */
  readonly aheadMs: number;
}

/**
 * Reads periods without Redis from a node's log: it logs once that Redis is away and once that it
 * is back, unless it exits before.
 */
export function aloneIn(
  node: string,
  lines: readonly string[],
  { startsAtMs, aheadMs }: NodeTimes,
): Alone[] {
  const text = lines.flatMap((line) => {
    const found = /"time":(\d+),.*"msg":"Redis (does not answer|answers again)"/.exec(line);
    return found === null ? [] : [{ what: found[2], atMs: Number(found[1]) - aheadMs }];
  });
  const endsAtMs = [
    ...text.filter(({ what }) => what === 'answers again').map(({ atMs }) => atMs),
    ...startsAtMs,
  ];
  return text
    .filter(({ what }) => what === 'does not answer')
    .map(({ atMs: fromMs }) => {
      const toMs = Math.min(...endsAtMs.filter((atMs) => atMs > fromMs));
      return { node, fromMs, toMs };
    });
}
