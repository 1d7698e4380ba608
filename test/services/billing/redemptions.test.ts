import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/domain/errors/errors.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { type Clients, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const NOON = Date.UTC(2026, 10, 21, 12) / 1000;
const HOUR = 3600;
const PLAIN = { name: 'spring', quota: 500_000 };

describe.each(databases)('redemption codes on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const admin = await site.aUser({ role: 10 });
  const makerId = admin.id;
  const api = site.as(admin.actor);

  /** The row of the only code with this key. */
  const rowOf = async (key: string | undefined) => {
    const { items } = await api.redemption.list({ page_size: 100 });
    const row = items.find((item) => item.key === key);
    if (row === undefined) throw new Error(`no code ${key}`);
    return row;
  };
  const make = async (fields: Partial<Parameters<Clients['redemption']['create']>[0]> = {}) =>
    rowOf((await api.redemption.create({ ...PLAIN, ...fields }))[0]);

  it('are created in batches with generated keys', async () => {
    const keys = await api.redemption.create({ ...PLAIN, name: 'batch', count: 100 });
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await api.redemption.countByName({ name: 'batch' })).toBe(100);
    const row = await rowOf(keys[7]);
    expect(row).toMatchObject({ name: 'batch', quota: 500_000, status: 1, user_id: makerId });
    expect(row).toMatchObject({ is_gift: false, max_uses: -1, used_count: 0, used_user_id: 0 });
    expect(await api.redemption.get({ id: row.id })).toEqual(row);
  });

  it('accept a custom key once, even after it was deleted', async () => {
    expect(await api.redemption.create({ ...PLAIN, key: 'WELCOME-2026' })).toEqual([
      'WELCOME-2026',
    ]);
    const again = () => api.redemption.create({ ...PLAIN, key: 'WELCOME-2026' });
    await expectRefusal(again(), 'redemption_key_taken', { param: 'key' });
    await api.redemption.remove({ id: (await rowOf('WELCOME-2026')).id });
    await expectRefusal(again(), 'redemption_key_taken');
    expect(await api.redemption.create({ ...PLAIN, key: 'welcome-2026' })).toHaveLength(1);
  });

  it('are refused with every wrong field at once', async () => {
    const wrong = { key: 'WELCOME-2027', count: 2, is_gift: true, max_uses: 0, valid_until: 1 };
    const refused = await api.redemption.create({ ...PLAIN, ...wrong }).catch((error) => error);
    const found = refused.problems.map(({ params }: AppError) => [params.field, params.reason]);
    expect(found).toEqual([
      ['valid_until', 'code_end_past'],
      ['count', 'count_of_key'],
      ['max_uses', 'zero_uses'],
    ]);
  });

  it('have a limit of uses only as gifts', async () => {
    expect(await make({ is_gift: true })).toMatchObject({ max_uses: -1 });
    expect(await make({ is_gift: true, max_uses: 3 })).toMatchObject({ max_uses: 3 });
    expect(await make({ max_uses: 3 })).toMatchObject({ is_gift: false, max_uses: -1 });
  });

  it('are found by id and by the literal beginning of their name', async () => {
    const row = await make({ name: 'a_b%c' });
    await make({ name: 'aXb%c' });
    const found = async (keyword: string) =>
      (await api.redemption.search({ keyword })).items.map((item) => item.id);
    expect(await found('a_b')).toEqual([row.id]);
    expect(await found('b%c')).toEqual([]);
    expect(await found(String(row.id))).toContain(row.id);
  });

  it('are listed newest first, paginated, by status and kind', async () => {
    const gift = await make({ name: 'listed', is_gift: true });
    const { items, total, page } = await api.redemption.list({ p: 0, page_size: 2 });
    expect([items[0]?.id, items.length, page]).toEqual([gift.id, 2, 1]);
    expect(total).toBeGreaterThan(100);
    const gifts = await api.redemption.list({ is_gift: 'true', page_size: 100 });
    expect(gifts.items.every((item) => item.is_gift)).toBe(true);
    const plain = await api.redemption.list({ is_gift: 'false', status: '1' });
    expect(plain.items.some((item) => item.is_gift)).toBe(false);
  });

  it('are filtered by the state that they are in now', async () => {
    const nowSec = Math.floor(site.ctx.now() / 1000);
    const columns = {
      unused: { valid_until: nowSec + HOUR },
      upcoming: { valid_from: nowSec + HOUR, valid_until: nowSec + 2 * HOUR },
      expired: { valid_until: nowSec - 1 },
      used: { is_gift: true, max_uses: 2, used_count: 2 },
      disabled: { status: 2, valid_until: nowSec - 1 },
    } as const;
    const words = Object.keys(columns) as (keyof typeof columns)[]; // the keys of the table above
    for (const state of words) {
      const { id } = await make({ name: 'by state' });
      await site.ctx.db('redemptions').where({ id }).update(columns[state]);
      expect(await api.redemption.get({ id })).toMatchObject({ state });
      for (const wanted of words) {
        const { items } = await api.redemption.list({ state: wanted, page_size: 100 });
        expect(items.some((code) => code.id === id)).toBe(wanted === state);
        expect(items.every((code) => code.state === wanted)).toBe(true);
      }
    }
  });

  it('are edited while unused: only sent fields, never kind, uses or key', async () => {
    const before = await make({ name: 'old', is_gift: true, max_uses: 5 });
    const sent = { id: before.id, name: 'new', quota: 7, is_gift: false, key: 'x', max_uses: 9 };
    expect(await api.redemption.edit(sent)).toEqual({ ...before, name: 'new', quota: 7 });
    const windowed = { id: before.id, valid_from: NOON, valid_until: NOON + HOUR };
    expect(await api.redemption.edit(windowed)).toMatchObject(windowed);
    await expectRefusal(
      api.redemption.edit({ id: before.id, valid_until: NOON - HOUR }),
      'input_invalid',
      { param: 'valid_until' },
    );
  });

  it('are disabled and enabled separately; a disabled one cannot be edited', async () => {
    const { id } = await make();
    const off = await api.redemption.edit({ id, status: 2, status_only: 'true', name: 'no' });
    expect(off).toMatchObject({ status: 2, name: 'spring' });
    await expectRefusal(api.redemption.edit({ id, name: 'x' }), 'redemption_not_unused');
    expect(await api.redemption.edit({ id, status: 1, status_only: true })).toMatchObject({
      status: 1,
    });
    for (const status of [0, 3, undefined])
      await expect(api.redemption.edit({ id, status, status_only: true })).rejects.toMatchObject({
        param: 'status',
      });
  });

  it('cannot be changed once used', async () => {
    const { id, key } = await make();
    const user = await site.aUser();
    await site.as(user.actor).wallet.redeem({ key });
    await expectRefusal(api.redemption.edit({ id, quota: 1 }), 'redemption_not_unused');
    for (const status of [1, 2])
      await expectRefusal(
        api.redemption.edit({ id, status, status_only: true }),
        'redemption_spent',
      );
    expect(await api.redemption.batchDisable({ ids: [id] })).toBe(0);
    expect(await rowOf(key)).toMatchObject({ status: 3, used_user_id: user.id, used_count: 1 });
  });

  it('are disabled in bulk, and deleted by status or by exact name', async () => {
    const ids = [(await make({ name: 'gone' })).id, (await make({ name: 'gone' })).id];
    const kept = await make({ name: 'gone but not' });
    expect(await api.redemption.batchDisable({ ids: [...ids, 999_999] })).toBe(2);
    expect(await api.redemption.batchDisable({ ids })).toBe(0);
    const disabled = (await api.redemption.list({ status: 2 })).total;
    const used = (await api.redemption.list({ status: 3 })).total;
    expect(await api.redemption.removeDisabled({})).toBe(disabled);
    expect(await api.redemption.removeUsed({})).toBe(used);
    await expectRefusal(api.redemption.get({ id: ids[0] }), 'redemption_missing');
    expect(await api.redemption.removeByName({ name: 'gone' })).toBe(0);
    expect(await api.redemption.removeByName({ name: 'gone but not' })).toBe(1);
    await expectRefusal(api.redemption.remove({ id: kept.id }), 'redemption_missing');
  });

  it('get a log entry for every action', async () => {
    const { id } = await make({ name: 'logged' });
    await api.redemption.edit({ id, status: 2, status_only: true });
    await api.redemption.remove({ id });
    const { items } = await site.as(OPERATOR).log.list({ type: 3, page_size: 3 });
    expect(items.map((line) => line.content)).toEqual([
      '1 redemption code deleted',
      'Redemption code logged changed',
      '1 redemption code created: logged, $1.00 each',
    ]);
  });
});

describe('the fields of a redemption code', async () => {
  const site = await sharedLocalSite();

  it.each([
    [{ name: 'x'.repeat(21) }, 'name'],
    [{ quota: 0 }, 'quota'],
    [{ quota: 1.5 }, 'quota'],
    [{ count: 0 }, 'count'],
    [{ count: 101 }, 'count'],
    [{ key: 'short' }, 'key'],
    [{ key: 'has blank inside' }, 'key'],
    [{ max_uses: -2 }, 'max_uses'],
    [{ valid_from: -1 }, 'valid_from'],
    [{ valid_from: NOON, valid_until: NOON }, 'valid_until'],
  ])('%o is refused by the name of its field', async (wrong, param) => {
    await expectRefusal(
      site.as(OPERATOR).redemption.create({ ...PLAIN, ...wrong }),
      'input_invalid',
      { param },
    );
  });

  it('a name is limited in characters, not bytes', async () => {
    const name = '春'.repeat(20);
    await site.as(OPERATOR).redemption.create({ ...PLAIN, name });
    expect(await site.as(OPERATOR).redemption.countByName({ name })).toBe(1);
  });

  it('a name is required when its codes are counted or deleted', async () => {
    const { redemption } = site.as(OPERATOR);
    await expect(redemption.countByName({ name: ' ' })).rejects.toMatchObject({ param: 'name' });
    await expect(redemption.removeByName({ name: '' })).rejects.toMatchObject({ param: 'name' });
    await expect(redemption.batchDisable({ ids: [] })).rejects.toMatchObject({ param: 'ids' });
  });
});
