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
import { BLOCK_PREFIX } from '../../store/ledger/holds.ts';
import {
  type HeldUnits,
  HOLD_LIFETIME_SEC,
  type HoldOperation,
  type Outcome,
} from '../../store/ledger/ledger-operations.ts';
import { type CountedBudget, readStandings } from './budget-cache.ts';
import {
  blockOf,
  blockSize,
  type CreditBlock,
  covers,
  heldOf,
  heldWindows,
  isFor,
  nameOfBudget,
  nameOfUser,
} from './credit-block.ts';
import { type BlockPorts, CreditBlocks, logFailure, RECALLED_MS } from './credit-blocks.ts';
import { freeQuota, overdrawnAmong, type Spender, spenderName } from './free-quota.ts';
import { PendingHolds } from './pending-holds.ts';

/** A block of an account that calls often is released without calls for this long. */
const IDLE_MS = 10_000;
/** The small block of an account that calls less often. */
const RARE_IDLE_MS = 60_000;
/** Interval of the check for idle blocks, and for balances that were removed meanwhile. */
const CHECK_MS = 1_000;
/** How long a call is known to be too large for a block, which otherwise each call would ask for. */
const REFUSED_MS = 10_000;
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

export interface CreditPorts extends BlockPorts {
  readonly reads: Knex;
  readonly ledger: BlockPorts['ledger'] & { hold(operation: HoldOperation): Promise<Outcome> };
  readonly node: string;
}

export class Credit {
  readonly #ports: CreditPorts;
  readonly #accounts = new Map<string, Account>();
  readonly blocks: CreditBlocks;
  readonly pending: PendingHolds;
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(ports: CreditPorts) {
    this.#ports = ports;
    this.blocks = new CreditBlocks(ports);
    this.pending = new PendingHolds(ports);
    this.#timer = setInterval(() => {
      this.#dropIdle();
      void this.#dropOverdrawn();
    }, CHECK_MS);
    this.#timer.unref();
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
    if (last !== undefined && (last.isRetired || !isFor(last, counted))) void this.#drop(account);
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
    if (block.isRetired) void this.blocks.giveBack(block);
  }

  /** What the block of a call, if it was open at that time, reserves beside its running calls. */
  unusedOf({ block: held }: Trust, measure: BudgetMeasure, atMs: number): number {
    const block = held as CreditBlock; // created by `trust`
    return block.openedAtMs > atMs ? 0 : block.size[measure] - block.inFlight[measure];
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
    if (this.blocks.isRecalled(names, beganAtMs - RECALLED_MS)) return;
    this.#inBackground(account, async () => {
      const free = await freeQuota(ports.reads, spender);
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
      this.blocks.add(block);
      if (this.blocks.isRecalled(names, beganAtMs)) return this.blocks.retire(block);
      const before = account.block;
      account.block = block;
      if (before !== undefined) await this.blocks.retire(before);
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
    await this.blocks.retire(block);
  }

  #dropIdle(): void {
    const nowMs = this.#ports.now();
    for (const [name, account] of this.#accounts) {
      const { block } = account;
      if (block === undefined) {
        if (nowMs - account.askedAtMs > RARE_IDLE_MS) this.#accounts.delete(name);
      } else if (nowMs >= block.endsAtMs || isIdle(block, nowMs)) void this.#drop(account);
    }
    this.blocks.forgetOldRecalls();
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

function isIdle({ inFlight, usedAtMs, keptIdleMs }: CreditBlock, nowMs: number): boolean {
  return inFlight.calls === 0 && nowMs - usedAtMs > keptIdleMs;
}

function blockName(spender: Spender, counted: readonly CountedBudget[]): string {
  const name = spenderName(spender);
  return counted.length === 0 ? name : `${name}:${counted.map(({ budget }) => budget.id).join()}`;
}

function recallNames(userId: number, counted: readonly CountedBudget[]): readonly string[] {
  return [nameOfUser(userId), ...counted.map(({ budget }) => nameOfBudget(budget.id))];
}

function blockHold({ now, node }: CreditPorts, held: HeldUnits): HoldOperation {
  const createdAtSec = Math.floor(now() / 1000);
  const requestId = `${BLOCK_PREFIX}${randomUUID()}`;
  return { kind: 'hold', requestId, ...held, node, createdAtSec, lifetimeSec: HOLD_LIFETIME_SEC };
}

function dropIdle(accounts: Map<string, Account>): void {
  for (const [name, { block }] of accounts) if (block === undefined) accounts.delete(name);
}
