/**
 * Reserves quota for many calls at once, so that a busy account needs no write per call. If a call
 * is small relative to the free balance, up to a fifth of it is reserved in one hold, a block,
 * and calls of this process run on it. The usual guarantee applies: the calls in flight on a block
 * and what its finished calls have cost never exceed what the database reserved. A used-up or idle
 * block is released.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import {
  type CloseOperation,
  HOLD_LIFETIME_SEC,
  type HoldOperation,
  type Outcome,
} from '../../store/ledger/ledger-operations.ts';
import { freeOf, overdrawnAmong, type Spender, type Standing, standingOf } from './free-quota.ts';

/** Share of the free balance that one block reserves. */
const BLOCK_SHARE = 0.2;
/** Largest share of a block for one call, so that others fit too. */
const CALL_SHARE = 0.25;
/** A block of an account that calls often is released without calls for this long. */
const IDLE_MS = 10_000;
/**
 * An account that calls less often, or whose calls spread over many nodes, gets a block of so few
 * calls that other nodes hardly miss it, and keeps it for longer.
 */
const RARE_CALLS = 4;
const RARE_IDLE_MS = 60_000;
/** Interval of the check for idle blocks, and for balances that were removed meanwhile. */
const CHECK_MS = 1_000;
/** How long a call is known to be too large for a block, which otherwise each call would ask for. */
const REFUSED_MS = 10_000;
/** Well before the block's hold would expire. */
const BLOCK_LIFETIME_MS = (HOLD_LIFETIME_SEC * 1000) / 6;
const MAX_ACCOUNTS = 50_000;

interface Block {
  readonly hold: HoldOperation;
  readonly units: number;
  readonly openedAtMs: number;
  readonly keptIdleMs: number;
  /** Units of calls in flight. */
  inFlight: number;
  calls: number;
  /** Units charged since the block was opened. */
  spent: number;
  usedAtMs: number;
  isRetired: boolean;
}

/** No call was refused yet. */
const NONE = { units: 0, atMs: Number.NEGATIVE_INFINITY } as const;

interface Account {
  readonly spender: Spender;
  /** The block that new calls run on. */
  block: Block | undefined;
  isAsking: boolean;
  /** Time of the last call that needed its own hold, or of the last call on a released block. */
  askedAtMs: number;
  /** The last call that was too large for a block, and when. */
  refused: { readonly units: number; readonly atMs: number };
}

/** One call's reservation within a block. */
export interface Trust {
  readonly units: number;
  readonly block: object;
}

export interface CreditPorts {
  readonly reads: Knex;
  readonly ledger: {
    hold(operation: HoldOperation): Promise<Outcome>;
    close(operation: CloseOperation): Promise<Outcome>;
  };
  readonly now: () => number;
  readonly log: Logger;
  readonly node: string;
}

export class Credit {
  readonly #ports: CreditPorts;
  readonly #accounts = new Map<string, Account>();
  /** All reserved blocks: those in use, and retired ones that still have calls. */
  readonly #blocks = new Set<Block>();
  readonly #timer: NodeJS.Timeout;
  /** Pending `freeOfUser` queries by user: many concurrent calls share one query. */
  readonly #pending = new Map<number, Promise<number>>();
  /** Units of holds that are being written, by account. */
  readonly #reserving = new Map<string, number>();
  readonly #turns = new Map<string, Promise<void>>();
  #isChecking = false;

  constructor(ports: CreditPorts) {
    this.#ports = ports;
    this.#timer = setInterval(() => {
      this.#dropIdle();
      void this.#dropOverdrawn();
    }, CHECK_MS);
    this.#timer.unref();
  }

  /** What the account has left beside its holds, according to the database. */
  freeOfUser(userId: number): Promise<number> {
    const free =
      this.#pending.get(userId) ??
      freeOf(this.#ports.reads, { userId, tokenId: 0 }).finally(() => this.#pending.delete(userId));
    this.#pending.set(userId, free);
    return free;
  }

  /** What the account has free, where the holds that this process is just writing count as held. */
  async standingOf(spender: Spender): Promise<Standing> {
    // Before the database is asked: it may know some of them by then.
    const reserving = this.#reserving.get(nameOf(spender)) ?? 0;
    const { free, held } = await standingOf(this.#ports.reads, spender);
    return { free: free - reserving, held: held + reserving };
  }

  leftOf(spender: Spender, free: number): number {
    return free - (this.#reserving.get(nameOf(spender)) ?? 0);
  }

  /** Runs after the work that was given before it for the same account. */
  inTurn<T>(spender: Spender, work: () => Promise<T>): Promise<T> {
    const name = nameOf(spender);
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(name, ended);
    void ended.then(() => {
      if (this.#turns.get(name) === ended) this.#turns.delete(name);
    });
    return turn;
  }

  /** Counts a hold as written until the database knows it. */
  async whileReserving<T>(spender: Spender, units: number, work: () => Promise<T>): Promise<T> {
    const name = nameOf(spender);
    this.#reserving.set(name, (this.#reserving.get(name) ?? 0) + units);
    try {
      return await work();
    } finally {
      const left = (this.#reserving.get(name) ?? 0) - units;
      if (left > 0) this.#reserving.set(name, left);
      else this.#reserving.delete(name);
    }
  }

  /** Undefined when the call needs its own hold; otherwise `release` must follow. Never waits. */
  trust(spender: Spender, units: number): Trust | undefined {
    const account = this.#accountOf(spender);
    const { block } = account;
    const nowMs = this.#ports.now();
    if (block === undefined) {
      // A single call needs no block.
      const idleMs = nowMs - account.askedAtMs;
      if (idleMs < RARE_IDLE_MS) this.#open(account, units, idleMs < IDLE_MS ? 'often' : 'rarely');
      account.askedAtMs = nowMs;
      return undefined;
    }
    const isOld = nowMs - block.openedAtMs > BLOCK_LIFETIME_MS;
    if (isOld || block.inFlight + block.spent + units > block.units) {
      this.#open(account, units, 'often');
      return undefined;
    }
    block.inFlight += units;
    block.calls += 1;
    block.usedAtMs = nowMs;
    return { units, block };
  }

  /** Ends a call that cost `spent` units, which must have been posted. */
  release({ units, block: held }: Trust, spent: number): void {
    const block = held as Block; // created by `trust`
    block.inFlight -= units;
    block.spent += spent;
    block.calls -= 1;
    if (block.isRetired) void this.#giveBack(block);
  }

  /** Releases the account's block if no call uses it. False if there is none. */
  async releaseIdle(spender: Spender): Promise<boolean> {
    const account = this.#accounts.get(nameOf(spender));
    if (account?.block?.calls !== 0) return false;
    await this.#drop(account);
    return true;
  }

  /** Releases the blocks that have no calls. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#accounts.values()].map((account) => this.#drop(account)));
  }

  #accountOf(spender: Spender): Account {
    const name = nameOf(spender);
    const kept = this.#accounts.get(name);
    if (kept !== undefined) return kept;
    if (this.#accounts.size >= MAX_ACCOUNTS) dropIdle(this.#accounts);
    const account = {
      spender,
      block: undefined,
      isAsking: false,
      askedAtMs: 0,
      refused: NONE,
    };
    this.#accounts.set(name, account);
    return account;
  }

  /** Until the block exists, calls use their own holds. */
  #open(account: Account, callUnits: number, calls: 'often' | 'rarely'): void {
    const ports = this.#ports;
    const { refused } = account;
    const knownMs = calls === 'often' ? REFUSED_MS : RARE_IDLE_MS;
    if (callUnits >= refused.units && ports.now() - refused.atMs < knownMs) return;
    this.#inBackground(account, async () => {
      const share = Math.floor((await freeOf(ports.reads, account.spender)) * BLOCK_SHARE);
      if (callUnits > share * CALL_SHARE) {
        account.refused = { units: callUnits, atMs: ports.now() };
        return;
      }
      const units = calls === 'often' ? share : Math.min(share, callUnits * RARE_CALLS);
      const hold = blockHold(ports, account.spender, units);
      if ((await ports.ledger.hold(hold)) !== 'done') return;
      const before = account.block;
      account.block = blockOf(hold, ports.now(), calls === 'often' ? IDLE_MS : RARE_IDLE_MS);
      this.#blocks.add(account.block);
      if (before !== undefined) await this.#retire(before);
    });
  }

  #inBackground(account: Account, work: () => Promise<void>): void {
    if (account.isAsking) return;
    account.isAsking = true;
    work()
      .catch((error: Error) => logFailure(this.#ports.log, error))
      .finally(() => {
        account.isAsking = false;
      });
  }

  async #drop(account: Account): Promise<void> {
    const { block } = account;
    account.block = undefined;
    if (block === undefined) return;
    account.askedAtMs = block.usedAtMs;
    await this.#retire(block);
  }

  /** Stops new calls from using the block. */
  #retire(block: Block): Promise<void> {
    block.isRetired = true;
    return this.#giveBack(block);
  }

  async #giveBack(block: Block): Promise<void> {
    if (block.calls > 0 || !this.#blocks.delete(block)) return;
    const { hold } = block;
    await this.#ports.ledger
      .close({ kind: 'close', requestId: hold.requestId, hold, logs: [] })
      .catch((error: Error) => logFailure(this.#ports.log, error));
  }

  #dropIdle(): void {
    const nowMs = this.#ports.now();
    for (const [name, account] of this.#accounts) {
      const { block } = account;
      if (block === undefined) {
        if (nowMs - account.askedAtMs > RARE_IDLE_MS) this.#accounts.delete(name);
      } else if (block.calls === 0 && nowMs - block.usedAtMs > block.keptIdleMs)
        void this.#drop(account);
    }
  }

  /** An administrator may have lowered a balance below what is reserved. */
  async #dropOverdrawn(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const withBlock = [...this.#accounts.values()].filter(({ block }) => block !== undefined);
    const spenders = withBlock.map(({ spender }) => spender);
    try {
      const overdrawn = await overdrawnAmong(this.#ports.reads, spenders);
      for (const account of withBlock)
        if (overdrawn.has(account.spender)) await this.#drop(account);
    } catch (error) {
      logFailure(this.#ports.log, error as Error);
    } finally {
      this.#isChecking = false;
    }
  }
}

function nameOf({ userId, tokenId }: Spender): string {
  return `${userId}:${tokenId}`;
}

function blockOf(hold: HoldOperation, openedAtMs: number, keptIdleMs: number): Block {
  const nothing = { inFlight: 0, calls: 0, spent: 0, isRetired: false };
  return { hold, units: hold.userUnits, openedAtMs, keptIdleMs, usedAtMs: openedAtMs, ...nothing };
}

function blockHold(
  { now, node }: CreditPorts,
  { userId, tokenId }: Spender,
  units: number,
): HoldOperation {
  const createdAtSec = Math.floor(now() / 1000);
  return {
    kind: 'hold',
    requestId: `block-${randomUUID()}`,
    userId,
    tokenId,
    userUnits: units,
    tokenUnits: tokenId === 0 ? 0 : units,
    node,
    createdAtSec,
    lifetimeSec: HOLD_LIFETIME_SEC,
  };
}

function logFailure(log: Logger, error: Error): void {
  // The outage was logged when the connection was lost; here it would be logged with every call.
  if (!(error instanceof AppError)) log.warn({ err: error }, 'a reservation of credit failed');
}

function dropIdle(accounts: Map<string, Account>): void {
  for (const [name, { block }] of accounts) if (block === undefined) accounts.delete(name);
}
