import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Credit, createCredit } from '../../src/services/views/credit.ts';
import { databases } from '../databases.ts';
import { eventually } from '../site.ts';
import { OPERATOR, type World, world } from '../world.ts';
import { type Account, anAccount, hold } from './operations.ts';

/** One percent of 10,000 may go without a reservation. */
const OPENING = 10_000;

describe.each(databases)('calls without a reservation on $kind', ({ kind }) => {
  let site: World;
  let account: Account;
  let credit: Credit;
  beforeAll(async () => {
    site = await world(kind);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    account = await anAccount(site, OPENING);
    credit = createCredit(site.ctx.reads, site.ctx.now, site.ctx.log);
  });

  const spender = (tokenId = 0) => ({ userId: account.userId, tokenId });
  /** Asks until the balance, which is read in the background, is known. */
  const isKnown = (who = spender()) =>
    eventually('the balance was read', () => {
      if (!credit.trust(who, 1)) return false;
      credit.release(who, 1, 0);
      return true;
    });

  it('need a balance that was read: the first one is reserved', async () => {
    expect(credit.trust(spender(), 1)).toBe(false);
    await isKnown();
    expect(credit.trust(spender(), 100)).toBe(true);
  });

  it('take one percent of what is free, all that are under way together', async () => {
    await isKnown();
    expect(credit.trust(spender(), 60)).toBe(true);
    expect(credit.trust(spender(), 41)).toBe(false);
    expect(credit.trust(spender(), 40)).toBe(true);
    credit.release(spender(), 60, 0);
    expect(credit.trust(spender(), 61)).toBe(false);
    expect(credit.trust(spender(), 60)).toBe(true);
  });

  it('count what they cost until the balance was read anew', async () => {
    await isKnown();
    expect(credit.trust(spender(), 10)).toBe(true);
    credit.release(spender(), 10, 95);
    // Others may have spent as well: what is not known is not trusted.
    expect(credit.trust(spender(), 10)).toBe(false);
    await eventually('the balance was read anew', () => credit.trust(spender(), 10));
  });

  it('do not count what others have reserved as free', async () => {
    await site.ctx.books.hold(hold(account, OPENING - 1_000));
    await isKnown();
    expect(credit.trust(spender(), 11)).toBe(false);
    expect(credit.trust(spender(), 10)).toBe(true);
  });

  it('go by the limit of a limited token as well', async () => {
    const token = await site.aToken(
      {
        id: account.userId,
        username: '',
        actor: { kind: 'user', id: account.userId, role: 1, group: 'default' },
      },
      { remain_quota: 500 },
    );
    await isKnown(spender(token.id));
    expect(credit.trust(spender(token.id), 6)).toBe(false);
    expect(credit.trust(spender(token.id), 5)).toBe(true);
  });

  it('stop within a second after the balance was taken away', async () => {
    await isKnown();
    await site.as(OPERATOR).user.setQuota({ id: account.userId, mode: 'set', units: 0 });
    site.pass(2);
    expect(credit.trust(spender(), 1)).toBe(false);
    await site.ctx.reads('users').where({ id: account.userId }).first('quota');
    expect(credit.trust(spender(), 1)).toBe(false);
  });

  it('never trust an account that does not exist', async () => {
    const nobody = { userId: 3_000_000, tokenId: 0 };
    expect(credit.trust(nobody, 1)).toBe(false);
    await isKnown();
    expect(credit.trust(nobody, 1)).toBe(false);
  });
});
