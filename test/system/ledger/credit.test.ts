import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Credit } from '../../../src/services/cache/credit-cache.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { eventually } from '../../support/site.ts';
import { type Account, anAccount, hold } from './operations.ts';

/** A block is at most a fifth of this, and the largest call that may use a block a quarter of a block. */
const OPENING = 10_000;

describe.each(databases)('credit calls on a held block on $kind', async ({ kind }) => {
  let account: Account;
  let credit: Credit;
  const site = await sharedLocalSite(kind);
  beforeEach(async () => {
    account = await anAccount(site, OPENING);
    credit = new Credit(site.ctx);
  });
  afterEach(() => credit.close());

  const spender = (tokenId = 0) => ({ userId: account.userId, tokenId });
  /** Makes calls until a block is held; returns the call that was let through. */
  const place = (units = 1, who = spender()) =>
    eventually('a block was reserved', () => credit.trust(who, of(units)));
  const of = (units: number) => ({ units, tokens: 0 });
  const heldOf = async (table: 'users' | 'tokens', id: number) =>
    Number((await site.ctx.db(table).where({ id }).first('held')).held);

  it('start with the second consecutive call; the first calls have holds of their own', async () => {
    expect(credit.trust(spender(), of(1))).toBeUndefined();
    expect(await heldOf('users', account.userId)).toBe(0);
    await place();
    expect(await heldOf('users', account.userId)).toBe(2_000);
  });

  it('never spend more than the block in total, whatever each call costs', async () => {
    const first = await place(500);
    const others = Array.from({ length: 3 }, () => credit.trust(spender(), of(500)));
    expect(others).not.toContain(undefined);
    expect(credit.trust(spender(), of(1))).toBeUndefined();
    credit.release(first, of(460));
    expect(credit.trust(spender(), of(41))).toBeUndefined();
    expect(credit.trust(spender(), of(40))).toBeDefined();
  });

  it('leave quota for other reservations: only a fifth of the free balance is held for the block', async () => {
    await site.ctx.ledger.hold(hold(account, OPENING - 1_000));
    await place();
    expect(await heldOf('users', account.userId)).toBe(OPENING - 1_000 + 200);
    expect(await site.ctx.ledger.hold(hold(account, 801))).toBe('user_short');
    expect(await site.ctx.ledger.hold(hold(account, 800))).toBe('done');
  });

  it('respect the limit of a limited token', async () => {
    const owner = { kind: 'user', id: account.userId, role: 1, group: 'default' } as const;
    const who = { id: account.userId, username: '', actor: owner };
    const token = await site.aToken(who, { remain_quota: 500 });
    await place(5, spender(token.id));
    expect(await heldOf('tokens', token.id)).toBe(100);
    expect(await heldOf('users', account.userId)).toBe(100);
  });

  it('use no block when they are large compared with the balance', async () => {
    expect(credit.trust(spender(), of(501))).toBeUndefined();
    expect(credit.trust(spender(), of(501))).toBeUndefined();
    await site.ctx.ledger.flush();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await heldOf('users', account.userId)).toBe(0);
  });

  it('that are too large for a block read the balance once in ten seconds', async () => {
    let reads = 0;
    const onQuery = ({ sql }: { readonly sql: string }) => {
      if (/from .users. /.test(sql)) reads += 1;
    };
    site.ctx.reads.on('query', onQuery);
    for (let calls = 0; calls < 4; calls += 1) {
      credit.trust(spender(), of(501));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(reads).toBe(1);
    site.pass(11);
    credit.trust(spender(), of(501));
    credit.trust(spender(), of(501));
    await eventually('read again', () => reads === 2);
    site.ctx.reads.off('query', onQuery);
    await place(500);
  });

  it('stop within a second after the balance is withdrawn', async () => {
    credit.release(await place(), undefined);
    await site.as(OPERATOR).user.setQuota({ id: account.userId, mode: 'set', units: 0 });
    await eventually('no call is let go', () => {
      const call = credit.trust(spender(), of(1));
      if (call !== undefined) credit.release(call, undefined);
      return call === undefined;
    });
    await eventually('the block is given back', async () => {
      return (await heldOf('users', account.userId)) === 0;
    });
  });

  it('that come rarely get a small block, which is kept for a minute', async () => {
    credit.trust(spender(), of(10));
    site.pass(30);
    credit.trust(spender(), of(10));
    await eventually('a block is held', async () => (await heldOf('users', account.userId)) === 40);
    // The database has it before this process knows.
    credit.release(await place(10), of(2));
    for (let call = 0; call < 2; call += 1) {
      site.pass(50);
      const trust = credit.trust(spender(), of(10));
      expect(trust).toBeDefined();
      if (trust !== undefined) credit.release(trust, of(2));
    }
    site.pass(61);
    await eventually('the block is given back', async () => {
      return (await heldOf('users', account.userId)) === 0;
    });
  });

  it('that become frequent get a larger block, which is released after ten seconds', async () => {
    credit.trust(spender(), of(10));
    site.pass(30);
    const small = await place(10);
    credit.release(small, of(35));
    expect(credit.trust(spender(), of(10))).toBeUndefined();
    await eventually('a fifth is held', async () => {
      return (await heldOf('users', account.userId)) === (OPENING - 40) / 5;
    });
    site.pass(11);
    await eventually('the block is given back', async () => {
      return (await heldOf('users', account.userId)) === 0;
    });
  });

  it('leave a block only what they may use when another call needs the rest', async () => {
    const call = await place(300);
    expect(await credit.blocks.giveBackOf(account.userId)).toBe(true);
    expect(await heldOf('users', account.userId)).toBe(300);
    expect(await credit.blocks.giveBackOf(account.userId)).toBe(false);
    expect(credit.trust(spender(), of(1))).toBeUndefined();
    credit.release(call, of(20));
    await eventually('given back', async () => (await heldOf('users', account.userId)) === 0);
  });

  it('release an unused block and a used one when its last call ends', async () => {
    const call = await place();
    await credit.close();
    expect(await heldOf('users', account.userId)).toBe(2_000);
    credit.release(call, undefined);
    await eventually('given back', async () => (await heldOf('users', account.userId)) === 0);
  });

  it('are refused for an account that does not exist', async () => {
    const nobody = { userId: 3_000_000, tokenId: 0 };
    expect(credit.trust(nobody, of(1))).toBeUndefined();
    expect(credit.trust(nobody, of(1))).toBeUndefined();
    await site.ctx.ledger.flush();
    expect(credit.trust(nobody, of(1))).toBeUndefined();
  });
});
