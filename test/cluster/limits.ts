/**
 * Tokens with limits, called by more than they allow. What was let through is counted from what the
 * clients know for certain, so a finding is never due to a late clock. Nodes that could not ask Redis
 * count for themselves, and a Redis that lost its data counts from zero (docs/operations.md): that much
 * more is allowed, and no more.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, clockAheadMs } from './cluster.ts';
import { RATE_PERIOD_SEC } from './furnish.ts';
import type { ClientCall } from './load.ts';

export interface Alone {
  readonly node: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Epoch ms of everything after which more than the limit may be let through. */
export interface Excuses {
  /** From when until when a node could not ask Redis. */
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

/** A log line is written a moment before or after what it tells of. */
const LOG_SLACK_MS = 500;

export function limitsHeld(cluster: Cluster, calls: readonly ClientCall[]): Limits {
  const excuses = excusesOf(cluster);
  const { rated, capped } = cluster.furniture;
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

/** Calls that were surely let through within one window, or surely ran at one moment. */
export interface Group {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calls: number;
}

/** A call is let through between its being sent and its being answered. */
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

/** A call runs from its first piece on until one that is far from the last. */
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

/** How many may have counted for themselves: Redis, each time anew, and every node without it. */
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

function excusesOf({ folder, nodes, emptyRedisAtMs, nodeStartsAtMs }: Cluster): Excuses {
  const alone = nodes.flatMap((node) => {
    const { name } = node;
    const file = path.join(folder, `${name}.log`);
    return existsSync(file)
      ? aloneIn(name, readFileSync(file, 'utf8').split('\n'), clockAheadMs(node))
      : [];
  });
  return { alone, emptyRedisAtMs, nodeStartsAtMs };
}

/**
 * Lines of a node's log, whose clock is ahead by `aheadMs`: it says once that Redis is away and once that
 * it is back, or ends before.
 */
export function aloneIn(node: string, lines: readonly string[], aheadMs = 0): Alone[] {
  const said = lines.flatMap((line) => {
    const found = /"time":(\d+),"pid":(\d+)/.exec(line);
    return found === null ? [] : [{ line, atMs: Number(found[1]) - aheadMs, pid: found[2] }];
  });
  return said.flatMap(({ line, atMs: fromMs, pid }, at) => {
    if (!line.includes('"redis is away"')) return [];
    const isOver = (one: (typeof said)[number]) =>
      one.pid !== pid || one.line.includes('"redis is back"');
    const end = said.slice(at + 1).find(isOver);
    return [{ node, fromMs, toMs: end?.atMs ?? Number.POSITIVE_INFINITY }];
  });
}
