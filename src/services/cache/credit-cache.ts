/**
 * Reserves quota for many calls at once, so that a busy account needs no write per call. If a call
 * is small relative to what is free in the balance and in the windows of its budgets, a share of that
 * is reserved in one hold, a block, and calls of this process run on it. The usual guarantee applies:
 * the calls in flight on a block and what its finished calls have cost never exceed what the database
 * reserved. A used-up or idle block is released, and what a block does not use is given back before
 * another call is refused.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import {
  amountIn,
  type BudgetMeasure,
  type CallAmounts,
  type HeldWindow,
} from '../../domain/budgets/budget.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { BLOCK_PREFIX } from '../../store/ledger/holds.ts';
import {
  type CloseOperation,
  type HeldUnits,
  HOLD_LIFETIME_SEC,
  type HoldOperation,
  type Outcome,
  type ShrinkOperation,
} from '../../store/ledger/ledger-operations.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';
import { type CountedBudget, readStandings } from './budget-cache.ts';
import {
  BlockIndex,
  blockOf,
  blockSize,
  type CreditBlock,
  covers,
  heldWindows,
  isFor,
  nameOfBudget,
  nameOfUser,
  type Sizes,
} from './credit-block.ts';
import { freeOf, overdrawnAmong, type Spender, type Standing, standingOf } from './free-quota.ts';

/** A block of an account that calls often is released without calls for this long. */
const IDLE_MS = 10_000;
/** The small block of an account that calls less often. */
const RARE_IDLE_MS = 60_000;
/** Interval of the check for idle blocks, and for balances that were removed meanwhile. */
const CHECK_MS = 1_000;
/** How long a call is known to be too large for a block, which otherwise each call would ask for. */
const REFUSED_MS = 10_000;
/** How long no block is opened in a window that was too full for a call. */
export const RECALLED_MS = 10_000;
const MAX_ACCOUNTS = 50_000;

const NOTHING_COUNTED: readonly CountedBudget[] = [];

/** No call was refused yet. */
const NONE = { call: { units: 0, tokens: 0 }, atMs: Number.NEGATIVE_INFINITY } as const;

/** What a block is opened for. */
interface Opening {
  readonly call: CallAmounts;
  readonly counted: readonly CountedBudget[];
  readonly isRare: boolean;
}

interface Account {
  readonly name: string;
  readonly spender: Spender;
  /** The block that new calls run on. */
  block: CreditBlock | undefined;
  isAsking: boolean;
  /** Time of the last call that needed its own hold, or of the last call on a released block. */
  askedAtMs: number;
  /** The last call that was too large for a block, and when. */
  refused: { readonly call: CallAmounts; readonly atMs: number };
}

/** One call's reservation within a block. */
export interface Trust extends CallAmounts {
  readonly block: object;
  /** The windows in which the call counts, with what it may use of them. */
  readonly windows: readonly HeldWindow[] | undefined;
}

export interface CreditPorts {
  readonly reads: Knex;
  readonly ledger: {
    hold(operation: HoldOperation): Promise<Outcome>;
    close(operation: CloseOperation): Promise<Outcome>;
    shrink(operation: ShrinkOperation): Promise<void>;
  };
  readonly changes: Pick<ChangeFeed, 'on'>;
  readonly now: () => number;
  readonly log: Logger;
  readonly node: string;
}

export class Credit {
  readonly #ports: CreditPorts;
  readonly #accounts = new Map<string, Account>();
  /** All reserved blocks: those in use, and retired ones that still have calls. */
  readonly #blocks = new BlockIndex();
  /** When blocks had to give back what they did not use, by user and by budget. */
  readonly #recalledAtMs = new Map<string, number>();
  /** When all processes were asked to do so, by budget. */
  readonly #announcedAtMs = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  /** Pending `freeOfUser` queries by user: many concurrent calls share one query. */
  readonly #pending = new Map<number, Promise<number>>();
  /** Units of holds that are being written, by account. */
  readonly #reserving = new Map<string, number>();
  readonly #turns = new Map<string, Promise<void>>();
  #isChecking = false;

  constructor(ports: CreditPorts) {
    this.#ports = ports;
    ports.changes.on('budget_blocks', async (ids) => {
      const budgetIds = ids === 'all' ? this.#blocks.budgetIds() : ids;
      for (const id of budgetIds) this.#announcedAtMs.set(id, ports.now());
      await Promise.all(budgetIds.map((id) => this.giveBackIn(id)));
    });
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

  /**
   * Undefined when the call needs its own hold; otherwise `release` must follow. `counted` are the
   * budgets that count the call, with the windows that run now. Never waits.
   */
  trust(
    spender: Spender,
    call: CallAmounts,
    counted: readonly CountedBudget[] = NOTHING_COUNTED,
  ): Trust | undefined {
    const account = this.#accountOf(spender, counted);
    const nowMs = this.#ports.now();
    const { block: last } = account;
    if (last !== undefined && !isFor(last, counted)) void this.#drop(account);
    const { block } = account;
    if (block === undefined) {
      // A single call needs no block.
      const idleMs = nowMs - account.askedAtMs;
      const isRare = idleMs >= IDLE_MS;
      if (idleMs < RARE_IDLE_MS) this.#open(account, { call, counted, isRare });
      account.askedAtMs = nowMs;
      return undefined;
    }
    if (nowMs >= block.endsAtMs || !covers(block, call)) {
      this.#open(account, { call, counted, isRare: false });
      return undefined;
    }
    block.inFlight.units += call.units;
    block.inFlight.tokens += call.tokens;
    block.inFlight.calls += 1;
    block.usedAtMs = nowMs;
    const windows = heldWindows(counted, (measure) => amountIn(measure, call));
    return { units: call.units, tokens: call.tokens, windows, block };
  }

  /** Ends a call that used `spent`, which must have been posted; undefined if it cost nothing. */
  release({ units, tokens, block: held }: Trust, spent: CallAmounts | undefined): void {
    const block = held as CreditBlock; // created by `trust`
    block.inFlight.units -= units;
    block.inFlight.tokens -= tokens;
    block.inFlight.calls -= 1;
    if (spent !== undefined) {
      block.spent.units += spent.units;
      block.spent.tokens += spent.tokens;
      block.spent.calls += 1;
    }
    if (block.isRetired) void this.#giveBack(block);
  }

  /** What the block of a call, if it was open at that time, reserves beside its running calls. */
  unusedOf({ block: held }: Trust, measure: BudgetMeasure, atMs: number): number {
    const block = held as CreditBlock; // created by `trust`
    return block.openedAtMs > atMs ? 0 : block.size[measure] - block.inFlight[measure];
  }

  /**
   * Gives back what the user's blocks reserve beside their running calls, and opens no other for some
   * time. False if that is nothing.
   */
  giveBackOf(userId: number): Promise<boolean> {
    return this.#shrinkAll(nameOfUser(userId));
  }

  /** The same for all blocks in windows of a budget. */
  giveBackIn(budgetId: number): Promise<boolean> {
    return this.#shrinkAll(nameOfBudget(budgetId));
  }

  /** How long ago all processes were asked to give back what their blocks have of a budget's windows. */
  sinceRecallMs(budgetId: number): number {
    return this.#ports.now() - (this.#announcedAtMs.get(budgetId) ?? Number.NEGATIVE_INFINITY);
  }

  async #shrinkAll(name: string): Promise<boolean> {
    this.#recalledAtMs.set(name, this.#ports.now());
    const shrinking = this.#blocks.named(name).map((block) => this.#shrink(block));
    return (await Promise.all(shrinking)).includes(true);
  }

  /** Stops new calls from using the block, and leaves it what its running calls may use. */
  async #shrink(block: CreditBlock): Promise<boolean> {
    if (block.isShrunk) return false;
    const account = this.#accounts.get(block.name);
    if (account?.block === block) {
      account.block = undefined;
      account.askedAtMs = block.usedAtMs;
    }
    block.isRetired = true;
    if (block.inFlight.calls === 0) {
      await this.#giveBack(block);
      return true;
    }
    const { inFlight, hold, counted } = block;
    const to = { ...hold, ...heldOf(hold, counted, inFlight) };
    try {
      await this.#ports.ledger.shrink({ kind: 'shrink', requestId: hold.requestId, to });
      block.hold = to;
      block.isShrunk = true;
    } catch (error) {
      logFailure(this.#ports.log, error as Error);
    }
    return true;
  }

  /** Releases the blocks that have no calls. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#accounts.values()].map((account) => this.#drop(account)));
  }

  #accountOf(spender: Spender, counted: readonly CountedBudget[]): Account {
    const name = blockName(spender, counted);
    const kept = this.#accounts.get(name);
    if (kept !== undefined) return kept;
    if (this.#accounts.size >= MAX_ACCOUNTS) dropIdle(this.#accounts);
    const account = {
      name,
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
  #open(account: Account, { call, counted, isRare }: Opening): void {
    const ports = this.#ports;
    const { name, refused, spender } = account;
    const beganAtMs = ports.now();
    const knownMs = isRare ? RARE_IDLE_MS : REFUSED_MS;
    const isAsLarge = call.units >= refused.call.units && call.tokens >= refused.call.tokens;
    if (isAsLarge && beganAtMs - refused.atMs < knownMs) return;
    const names = recallNames(spender.userId, counted);
    if (this.#isRecalled(names, beganAtMs - RECALLED_MS)) return;
    this.#inBackground(account, async () => {
      const free = await freeOf(ports.reads, spender);
      const standings = await readStandings(ports.reads, counted, beganAtMs);
      const size = blockSize(free, standings, { call, isRare });
      if (size === undefined) {
        account.refused = { call, atMs: ports.now() };
        return;
      }
      const hold = blockHold(ports, heldOf(spender, counted, size));
      if ((await ports.ledger.hold(hold)) !== 'done') return;
      const keptIdleMs = isRare ? RARE_IDLE_MS : IDLE_MS;
      const block = blockOf(hold, { name, counted, size, openedAtMs: ports.now(), keptIdleMs });
      this.#blocks.add(block);
      if (this.#isRecalled(names, beganAtMs)) return this.#retire(block);
      const before = account.block;
      account.block = block;
      if (before !== undefined) await this.#retire(before);
    });
  }

  /** Whether blocks had to give back after that time what they had of any of these. */
  #isRecalled(names: readonly string[], sinceMs: number): boolean {
    return names.some((name) => (this.#recalledAtMs.get(name) ?? sinceMs) > sinceMs);
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
  #retire(block: CreditBlock): Promise<void> {
    block.isRetired = true;
    return this.#giveBack(block);
  }

  async #giveBack(block: CreditBlock): Promise<void> {
    if (block.inFlight.calls > 0 || !this.#blocks.delete(block)) return;
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
      } else if (nowMs >= block.endsAtMs || isIdle(block, nowMs)) void this.#drop(account);
    }
    dropOld(this.#recalledAtMs, nowMs);
    dropOld(this.#announcedAtMs, nowMs);
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

function isIdle({ inFlight, usedAtMs, keptIdleMs }: CreditBlock, nowMs: number): boolean {
  return inFlight.calls === 0 && nowMs - usedAtMs > keptIdleMs;
}

function blockName(spender: Spender, counted: readonly CountedBudget[]): string {
  const name = nameOf(spender);
  return counted.length === 0 ? name : `${name}:${counted.map(({ budget }) => budget.id).join()}`;
}

function recallNames(userId: number, counted: readonly CountedBudget[]): readonly string[] {
  return [nameOfUser(userId), ...counted.map(({ budget }) => nameOfBudget(budget.id))];
}

function heldOf(
  { userId, tokenId }: Spender,
  counted: readonly CountedBudget[],
  amounts: Sizes,
): HeldUnits {
  const { units } = amounts;
  const windows = heldWindows(counted, (measure) => amounts[measure]);
  return { userId, tokenId, userUnits: units, tokenUnits: tokenId === 0 ? 0 : units, windows };
}

function blockHold({ now, node }: CreditPorts, held: HeldUnits): HoldOperation {
  const createdAtSec = Math.floor(now() / 1000);
  const requestId = `${BLOCK_PREFIX}${randomUUID()}`;
  return { kind: 'hold', requestId, ...held, node, createdAtSec, lifetimeSec: HOLD_LIFETIME_SEC };
}

function logFailure(log: Logger, error: Error): void {
  // The outage was logged when the connection was lost; here it would be logged with every call.
  if (!(error instanceof AppError)) log.warn({ err: error }, 'a reservation of credit failed');
}

function dropOld<Key>(times: Map<Key, number>, nowMs: number): void {
  for (const [key, atMs] of times) if (nowMs - atMs > RECALLED_MS) times.delete(key);
}

function dropIdle(accounts: Map<string, Account>): void {
  for (const [name, { block }] of accounts) if (block === undefined) accounts.delete(name);
}
