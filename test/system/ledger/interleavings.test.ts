/**
 * Random interleavings of all balance changes on two nodes, compared with a model that adds up the
 * results each caller received, without knowledge of the ledger.
 */
import { env } from 'node:process';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';
import { createLogger } from '../../../src/log.ts';
import {
  createLedgerWriter,
  type LedgerWriter,
} from '../../../src/services/billing/ledger-writer.ts';
import { openDatabases } from '../../../src/store/connection/database.ts';
import type { HoldOperation } from '../../../src/store/ledger/ledger-operations.ts';
import { databases } from '../../support/databases.ts';
import { type LocalSite, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { type Account, anAccount, close, hold } from './operations.ts';

const RUNS = Number(env.LEDGER_RUNS ?? 10);
const ACCOUNTS = 3;
const OPENING = 1_000;

type Command =
  | { readonly kind: 'hold'; readonly account: number; readonly units: number }
  /** Ends one of the calls begun so far, also one that has ended; without `units` for nothing. */
  | { readonly kind: 'close'; readonly call: number; readonly units: number | undefined }
  | { readonly kind: 'add'; readonly account: number; readonly units: number }
  | { readonly kind: 'set'; readonly account: number; readonly units: number }
  | { readonly kind: 'token'; readonly account: number; readonly units: number }
  | { readonly kind: 'remove'; readonly account: number };

const account = fc.nat(ACCOUNTS - 1);
const spending = [
  fc.record({
    kind: fc.constant('hold' as const),
    account,
    units: fc.integer({ min: 1, max: 400 }),
  }),
  fc.record({
    kind: fc.constant('close' as const),
    call: fc.nat(30),
    units: fc.option(fc.nat(500), { nil: undefined }),
  }),
];
const editing = [
  fc.record({
    kind: fc.constantFrom('add' as const),
    account,
    units: fc.integer({ min: -300, max: 300 }),
  }),
  fc.record({
    kind: fc.constantFrom('set' as const, 'token' as const),
    account,
    units: fc.nat(1_500),
  }),
  fc.record({ kind: fc.constant('remove' as const), account }),
];
/** The commands of a round start together; the next round begins when all have ended. */
const rounds = (commands: fc.Arbitrary<Command>[]) =>
  fc.array(fc.array(fc.oneof(...commands), { minLength: 1, maxLength: 10 }), {
    minLength: 1,
    maxLength: 5,
  });

/** The balances expected from the results alone. */
class Model {
  readonly quota: number[] = Array(ACCOUNTS).fill(OPENING);
  readonly tokenQuota: number[] = Array(ACCOUNTS).fill(OPENING);
  readonly used: number[] = Array(ACCOUNTS).fill(0);
  readonly requests: number[] = Array(ACCOUNTS).fill(0);
  readonly calls: { readonly account: number; readonly hold: HoldOperation; isOpen: boolean }[] =
    [];

  held(account: number, of: 'userUnits' | 'tokenUnits'): number {
    return this.calls
      .filter((call) => call.isOpen && call.account === account)
      .reduce((sum, call) => sum + call.hold[of], 0);
  }

  charge(account: number, units: number): void {
    this.quota[account] = (this.quota[account] ?? 0) - units;
    this.tokenQuota[account] = (this.tokenQuota[account] ?? 0) - units;
    this.used[account] = (this.used[account] ?? 0) + units;
    this.requests[account] = (this.requests[account] ?? 0) + 1;
  }
}

describe.each(databases)('concurrent ledger operations on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);
  const second = await openDatabases(site.databases.dsn);
  const nodes = [site.ctx.ledger, createLedgerWriter(second, createLogger('silent'))];
  afterAll(() => second.close());

  /** The last account's token is unlimited. */
  const openAccounts = async (): Promise<Account[]> => {
    const opened: Account[] = [];
    for (let index = 0; index < ACCOUNTS; index += 1)
      opened.push(await anAccount(site, OPENING, OPENING));
    return opened;
  };

  /** Runs one command and records its result in the model. */
  const run = async (command: Command, accounts: Account[], model: Model, at: number) => {
    const books = nodes[at % nodes.length] ?? site.ctx.ledger;
    if (command.kind === 'close') return end(command, books, model);
    const owner = accounts[command.account];
    if (owner === undefined) throw new Error('no such account');
    if (command.kind === 'hold') {
      const tokenUnits = command.account === ACCOUNTS - 1 ? 0 : command.units;
      const one = hold(owner, command.units, { tokenUnits });
      const isOpen = (await books.hold(one)) === 'done';
      if (isOpen) model.calls.push({ account: command.account, hold: one, isOpen });
      return;
    }
    await edit(command, owner, model);
  };

  const end = async (
    { call: pick, units }: Command & { kind: 'close' },
    books: LedgerWriter,
    model: Model,
  ): Promise<void> => {
    const call = model.calls[pick % Math.max(1, model.calls.length)];
    if (call === undefined) return;
    const outcome = await books.close(close(call.hold, units));
    call.isOpen = false;
    if (outcome === 'done' && units !== undefined) model.charge(call.account, units);
  };

  const edit = async (
    command: Exclude<Command, { kind: 'hold' | 'close' }>,
    { userId, tokenId }: Account,
    model: Model,
  ): Promise<void> => {
    const { account } = command;
    try {
      if (command.kind === 'remove') await api.token.remove({ id: tokenId });
      else if (command.kind === 'token')
        await api.token.edit({ id: tokenId, remain_quota: command.units });
      else {
        const { before, after } = await api.user.setQuota({
          id: userId,
          mode: command.kind,
          units: command.units,
        });
        model.quota[account] = (model.quota[account] ?? 0) + after - before;
      }
    } catch (error) {
      // Withdrawing too much, or a missing token: refused, and nothing may remain.
      if (!(error instanceof AppError && /^(quota_short|token_missing_row)$/.test(error.code)))
        throw error;
    }
  };

  const expectLedger = async (accounts: Account[], model: Model): Promise<void> => {
    for (const [index, { userId, tokenId }] of accounts.entries()) {
      const user = await site.ctx.db('users').where({ id: userId }).first();
      expect(user).toMatchObject({
        quota: model.quota[index],
        held: model.held(index, 'userUnits'),
        used_quota: model.used[index],
        request_count: model.requests[index],
      });
      const token = await site.ctx.db('tokens').where({ id: tokenId }).first();
      // A token edit returns the new quota, not the difference, which is read from the ledger.
      const edits = await site.ctx
        .db('ledger')
        .where({ token_id: tokenId, cause: 'token_edit' })
        .sum({ units: 'token_units' })
        .first();
      expect(token).toMatchObject({
        remain_quota: (model.tokenQuota[index] ?? 0) + Number(edits?.units ?? 0),
        held: model.held(index, 'tokenUnits'),
        used_quota: model.used[index],
      });
    }
    expect(await api.ledger.verify({})).toMatchObject({ ok: true, differences: [] });
  };

  const play = async (plan: Command[][], eachRound: (work: Promise<unknown>) => Promise<void>) => {
    const accounts = await openAccounts();
    const model = new Model();
    for (const round of plan) {
      await eachRound(Promise.all(round.map((command, at) => run(command, accounts, model, at))));
      await expectLedger(accounts, model);
    }
    return { accounts, model };
  };

  it('every balance matches the confirmed results, and the ledger agrees after every round', async () => {
    const commands = [...spending, ...spending, ...editing];
    await fc.assert(
      fc.asyncProperty(rounds(commands), async (plan) => {
        const { accounts, model } = await play(plan, async (work) => void (await work));
        const all = model.calls.map((_, call) => ({ kind: 'close' as const, call, units: 1 }));
        for (const command of all) await end(command, site.ctx.ledger, model);
        await expectLedger(accounts, model);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('no reservation makes a free balance negative at any observed moment', async () => {
    const cheap = spending.map((command) =>
      // A call that costs more than its hold may make the balance negative; these do not.
      command.map((one) => (one.kind === 'close' ? { ...one, units: undefined } : one)),
    );
    await fc.assert(
      fc.asyncProperty(rounds(cheap), async (plan) => {
        await play(plan, async (work) => {
          let isDone = false;
          const watching = watchFreeBalances(site, () => isDone);
          await work;
          isDone = true;
          expect(await watching).toBeGreaterThanOrEqual(0);
        });
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

/** The smallest free balance of any user or token observed until `isDone`. */
async function watchFreeBalances(site: LocalSite, isDone: () => boolean): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY;
  do {
    for (const [table, column] of [
      ['users', 'quota'],
      ['tokens', 'remain_quota'],
    ] as const) {
      const row = await site.ctx
        .reads(table)
        .where('held', '>', 0)
        .min({ free: site.ctx.reads.raw('?? - held', [column]) })
        .first();
      if (row?.free !== null && row?.free !== undefined)
        smallest = Math.min(smallest, Number(row.free));
    }
  } while (!isDone());
  return smallest;
}
