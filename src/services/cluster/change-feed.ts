/**
 * Notifies caches of writes by any process. A service announces (scope, id) inside its transaction
 * and pulls after the commit; other processes pull twice a second, or at once when notified: those
 * of the same machine by a file in the data folder, others by Redis. So a cached value is at most `POLL_EVERY_MS` old; code that decides by one calls `fresh`
 * first, which covers a process that could not poll.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Logger } from '../../log.ts';
import type { Kv } from '../../store/kv/kv.ts';
import { changesSince, readRevisions } from '../../store/tables/changes-table.ts';
import type { LocalSignal } from './local-signal.ts';

export type Scope =
  | 'tokens'
  | 'users'
  | 'channels'
  | 'key_rests'
  | 'options'
  | 'jobs'
  | 'budgets'
  /** Budgets in whose windows blocks shall give back what they do not use. */
  | 'budget_blocks';
const POLL_EVERY_MS = 500;
/** Older than this means a missed poll. */
const STALE_MS = 2 * POLL_EVERY_MS;
/** Minimum time between the starts of two reads for `latest`. */
const LOOK_EVERY_MS = 200;
const TOPIC = 'changes';

export type OnChange = (ids: readonly number[] | 'all') => void | Promise<void>;

export interface ChangeFeed {
  on(scope: Scope, listener: OnChange): void;
  /** Reads new changes and notifies the listeners; resolves when they have finished. */
  pull(): Promise<void>;
  /**
   * For decisions based on cached values: returns at once, or resolves after a read if the last one
   * is too old, for example after a process was suspended. Rejects when the read fails.
   */
  fresh(): Awaitable<void>;
  /**
   * For cache misses: resolves once everything committed before this call is known. Concurrent
   * callers share one read per `LOOK_EVERY_MS`. Resolves also when the read fails.
   */
  latest(): Promise<void>;
  /** Call after a commit of this process: pulls here and notifies the other processes. */
  committed(): Promise<void>;
  /** Starts polling (servers only: a CLI command reads what it needs itself). */
  start(): Promise<void>;
  stop(): void;
  /** Milliseconds since the last completed read began; undefined while not polling. */
  ageMs(): number | undefined;
}

interface Ports {
  readonly kv: Kv;
  readonly signal: LocalSignal;
  readonly log: Logger;
}

export function createChangeFeed(reads: Knex, { kv, signal, log }: Ports): ChangeFeed {
  const listeners = new Map<string, OnChange[]>();
  let seen: Revisions | undefined;
  let timer: NodeJS.Timeout | undefined;
  let unwatch: () => void = () => undefined;
  let pulling: Promise<void> | undefined;
  let freshening: Promise<void> | undefined;
  let looking: Promise<void> | undefined;
  let readAt = performance.now();
  let lookedAt = Number.NEGATIVE_INFINITY;

  const pullOnce = async (): Promise<void> => {
    const beganAt = performance.now();
    const current = await readRevisions(reads);
    seen = await announce({ reads, listeners }, seen ?? current, current);
    readAt = beganAt;
  };

  /**
   * Runs one pull at a time; a caller during a pull gets another one, as the current one may have
   * read too early.
   */
  const pull = (): Promise<void> => {
    const next = (pulling ?? Promise.resolve()).then(pullOnce);
    const settled = next.catch(() => undefined);
    pulling = settled;
    void settled.then(() => {
      if (pulling === settled) pulling = undefined;
    });
    return next;
  };

  const warn = (error: Error): void =>
    log.warn({ err: error }, 'the change feed could not be read');

  const pullInBackground = (): void => void (pulling ?? pull().catch(warn));

  const look = async (): Promise<void> => {
    await pause(Math.max(0, lookedAt + LOOK_EVERY_MS - performance.now()));
    lookedAt = performance.now();
    // Later callers may need changes that are committed after this read began.
    looking = undefined;
    await pull();
  };

  return {
    on(scope, listener) {
      listeners.set(scope, [...(listeners.get(scope) ?? []), listener]);
    },
    pull,
    fresh() {
      if (timer === undefined || performance.now() - readAt <= STALE_MS) return;
      // Concurrent callers share one new pull. A pull already running may have read too early.
      freshening ??= pull().finally(() => {
        freshening = undefined;
      });
      return freshening;
    },
    latest() {
      looking ??= look().catch(warn);
      return looking;
    },
    async committed() {
      await pull();
      await Promise.all([kv.publish(TOPIC, ''), signal.send()]);
    },
    async start() {
      await pull();
      await kv.subscribe(TOPIC, pullInBackground);
      unwatch = signal.watch(pullInBackground);
      timer = setInterval(pullInBackground, POLL_EVERY_MS);
    },
    stop() {
      unwatch();
      clearInterval(timer);
      timer = undefined;
    },
    ageMs: () => (timer === undefined ? undefined : performance.now() - readAt),
  };
}

type Revisions = Readonly<Record<string, number>>;

interface Audience {
  readonly reads: Knex;
  readonly listeners: ReadonlyMap<string, readonly OnChange[]>;
}

/** Calls the listeners of each changed scope and returns the revisions that they know now. */
async function announce(
  { reads, listeners }: Audience,
  before: Revisions,
  current: Revisions,
): Promise<Revisions> {
  const after: Record<string, number> = { ...before };
  for (const [scope, revision] of Object.entries(current)) {
    const known = before[scope] ?? 0;
    // Not `<=`: a lower revision means that the database was restored to an older state.
    if (revision === known) continue;
    const changed = await changesSince(reads, scope, known);
    for (const listener of listeners.get(scope) ?? []) await listener(changed.ids);
    after[scope] = changed.revision;
  }
  return after;
}
