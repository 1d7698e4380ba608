/**
 * How caches learn that something was written, by whichever process. A writing service announces
 * (scope, id) inside its transaction and pulls after it; other processes pull twice a second, or at
 * once when Redis tells them. So a cached value is at most `POLL_EVERY_MS` old; who decides by one asks for
 * `fresh` first, which holds for a process that was kept from polling too.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../log.ts';
import type { Kv } from '../../store/kv/kv.ts';
import { changedSince, readRevisions } from '../../store/tables/changes-table.ts';

export type Scope = 'tokens' | 'users' | 'channels' | 'key_rests' | 'options' | 'jobs';
const POLL_EVERY_MS = 500;
/** A poll was missed. */
const STALE_MS = 2 * POLL_EVERY_MS;
/** Between the beginnings of two readings that `latest` asks for. */
const LOOK_EVERY_MS = 200;
const TOPIC = 'changes';

export type OnChange = (ids: readonly number[] | 'all') => void | Promise<void>;

export interface ChangeFeed {
  on(scope: Scope, listener: OnChange): void;
  /** Reads what is new and tells the listeners; resolves when they are done. */
  pull(): Promise<void>;
  /**
   * For who decides by what is cached: resolves at once, or after a reading where none began of late,
   * as in a process that was frozen. Rejects when nothing can be read.
   */
  fresh(): Promise<void>;
  /**
   * For who does not find something in a cache: resolves once everything committed before this call is
   * known. All who ask share one reading per `LOOK_EVERY_MS`. Where nothing can be read it resolves too.
   */
  latest(): Promise<void>;
  /** After a commit of this process: pulls here and tells the other nodes. */
  committed(): Promise<void>;
  /** Starts polling (servers only: a command reads what it needs itself). */
  start(): Promise<void>;
  stop(): void;
  /** Milliseconds since the last reading began; undefined while nothing polls. */
  ageMs(): number | undefined;
}

export function createChangeFeed(reads: Knex, kv: Kv, log: Logger): ChangeFeed {
  const listeners = new Map<string, OnChange[]>();
  let seen: Readonly<Record<string, number>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pulling: Promise<void> | undefined;
  let freshening: Promise<void> | undefined;
  let looking: Promise<void> | undefined;
  let readAt = performance.now();
  let lookedAt = Number.NEGATIVE_INFINITY;

  const pullOnce = async (): Promise<void> => {
    const beganAt = performance.now();
    const current = await readRevisions(reads);
    const before = seen ?? current;
    const after: Record<string, number> = { ...before };
    for (const [scope, revision] of Object.entries(current)) {
      const known = before[scope] ?? 0;
      // Not `<=`: a revision from before means that the database was put back to an older state.
      if (revision === known) continue;
      const changed = await changedSince(reads, scope, known);
      for (const listener of listeners.get(scope) ?? []) await listener(changed.ids);
      after[scope] = changed.revision;
    }
    seen = after;
    readAt = beganAt;
  };

  /** One pull at a time; a caller that comes while one runs gets a further one, as it may have read too early. */
  const pull = (): Promise<void> => {
    const next = (pulling ?? Promise.resolve()).then(pullOnce);
    const settled = next.catch(() => undefined);
    pulling = settled;
    void settled.then(() => {
      if (pulling === settled) pulling = undefined;
    });
    return next;
  };

  const warn = (error: Error): void => log.warn({ err: error }, 'changes could not be read');

  const quietly = (): void => {
    if (pulling === undefined) pull().catch(warn);
  };

  const look = async (): Promise<void> => {
    await pause(Math.max(0, lookedAt + LOOK_EVERY_MS - performance.now()));
    lookedAt = performance.now();
    // Who comes from here on may ask for what is committed after the reading began.
    looking = undefined;
    await pull();
  };

  return {
    on(scope, listener) {
      listeners.set(scope, [...(listeners.get(scope) ?? []), listener]);
    },
    pull,
    async fresh() {
      if (timer === undefined || performance.now() - readAt <= STALE_MS) return;
      // All who come meanwhile wait for the same one. One that runs already may have read long ago.
      freshening ??= pull().finally(() => {
        freshening = undefined;
      });
      await freshening;
    },
    latest() {
      looking ??= look().catch(warn);
      return looking;
    },
    async committed() {
      await pull();
      await kv.publish(TOPIC, '');
    },
    async start() {
      await pull();
      await kv.subscribe(TOPIC, quietly);
      timer = setInterval(quietly, POLL_EVERY_MS);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    ageMs: () => (timer === undefined ? undefined : performance.now() - readAt),
  };
}
