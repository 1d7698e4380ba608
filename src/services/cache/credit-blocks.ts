/**
 * The blocks that this process has reserved: those in use, and retired ones that still have calls.
 * What a block does not use is given back as soon as a call would be refused without it, also when
 * another process asks.
 */
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import type {
  CloseOperation,
  Outcome,
  ShrinkOperation,
} from '../../store/ledger/ledger-operations.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';
import { BlockIndex, type CreditBlock, heldOf, nameOfBudget, nameOfUser } from './credit-block.ts';

/** How long no block is opened in a window that was too full for a call. */
export const RECALLED_MS = 10_000;

export interface BlockPorts {
  readonly ledger: {
    close(operation: CloseOperation): Promise<Outcome>;
    shrink(operation: ShrinkOperation): Promise<void>;
  };
  readonly changes: Pick<ChangeFeed, 'on'>;
  readonly now: () => number;
  readonly log: Logger;
}

export class CreditBlocks {
  readonly #ports: BlockPorts;
  readonly #index = new BlockIndex();
  /** When blocks had to give back what they did not use, by user and by budget. */
  readonly #recalledAtMs = new Map<string, number>();
  /** When all processes were asked to do so, by budget. */
  readonly #announcedAtMs = new Map<number, number>();

  constructor(ports: BlockPorts) {
    this.#ports = ports;
    ports.changes.on('budget_blocks', async (ids) => {
      const budgetIds = ids === 'all' ? this.#index.budgetIds() : ids;
      for (const id of budgetIds) this.#announcedAtMs.set(id, ports.now());
      await Promise.all(budgetIds.map((id) => this.giveBackIn(id)));
    });
  }

  add(block: CreditBlock): void {
    this.#index.add(block);
  }

  /** Stops new calls from using the block. */
  retire(block: CreditBlock): Promise<void> {
    block.isRetired = true;
    return this.giveBack(block);
  }

  /** Releases a block without calls. */
  async giveBack(block: CreditBlock): Promise<void> {
    if (block.inFlight.calls > 0 || !this.#index.delete(block)) return;
    const { hold } = block;
    await this.#ports.ledger
      .close({ kind: 'close', requestId: hold.requestId, hold, logs: [] })
      .catch((error: Error) => logFailure(this.#ports.log, error));
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

  /** Whether blocks had to give back after that time what they had of any of these. */
  isRecalled(names: readonly string[], sinceMs: number): boolean {
    return names.some((name) => (this.#recalledAtMs.get(name) ?? sinceMs) > sinceMs);
  }

  /** How long ago all processes were asked to give back what their blocks have of a budget's windows. */
  sinceRecallMs(budgetId: number): number {
    return this.#ports.now() - (this.#announcedAtMs.get(budgetId) ?? Number.NEGATIVE_INFINITY);
  }

  forgetOldRecalls(): void {
    const nowMs = this.#ports.now();
    dropOld(this.#recalledAtMs, nowMs);
    dropOld(this.#announcedAtMs, nowMs);
  }

  async #shrinkAll(name: string): Promise<boolean> {
    this.#recalledAtMs.set(name, this.#ports.now());
    const shrinking = this.#index.named(name).map((block) => this.#shrink(block));
    return (await Promise.all(shrinking)).includes(true);
  }

  /** Stops new calls from using the block, and leaves it what its running calls may use. */
  async #shrink(block: CreditBlock): Promise<boolean> {
    if (block.isShrunk) return false;
    block.isRetired = true;
    if (block.inFlight.calls === 0) {
      await this.giveBack(block);
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
}

export function logFailure(log: Logger, error: Error): void {
  // The outage was logged when the connection was lost; here it would be logged with every call.
  if (!(error instanceof AppError)) log.warn({ err: error }, 'a reservation of credit failed');
}

function dropOld<Key>(times: Map<Key, number>, nowMs: number): void {
  for (const [key, atMs] of times) if (nowMs - atMs > RECALLED_MS) times.delete(key);
}
