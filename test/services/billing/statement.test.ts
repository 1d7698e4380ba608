import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../../src/store/ledger/ledger.ts';
import type { Cause, Entry } from '../../../src/store/ledger/ledger-operations.ts';
import { sumLedger } from '../../../src/store/ledger/ledger-sums.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import {
  createLocalSite,
  type LocalSite,
  OPERATOR,
  type TestUser,
} from '../../support/local-site.ts';

const DOLLAR = 500_000;

let site: LocalSite;
let keys = 0;

interface Change {
  readonly at: string;
  readonly cause: Cause;
  readonly units: number;
  readonly model?: string;
}

/** Posts changes in the order of their times, as a site does. */
async function postAll(user: TestUser, changes: readonly Change[]): Promise<void> {
  for (const { at, cause, units, model } of changes) {
    keys += 1;
    const entry: Entry = {
      key: `test:${keys}`,
      cause,
      userId: user.id,
      userUnits: units,
      createdAtSec: Date.parse(at) / 1000,
      ...(model !== undefined && { detail: JSON.stringify({ model }) }),
    };
    await site.databases.db.transaction((trx) => post(trx, entry));
  }
}

const statement = (user: TestUser, month: string, time_zone?: string) =>
  site.as(user.actor).statement.own({ month, time_zone });

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

describe.each(databases)('statements on $kind', ({ kind }) => {
  beforeAll(async () => {
    site = await createLocalSite(kind, { timeZone: 'UTC' });
  });
  afterAll(() => site.close());

  it('show every change of a month between the balances before and after it', async () => {
    const user = await site.aUser();
    await postAll(user, [
      { at: '2026-09-30T10:00:00Z', cause: 'opening', units: 9 * DOLLAR },
      { at: '2026-09-30T10:00:00Z', cause: 'past_charge', units: -4 * DOLLAR },
      { at: '2026-10-02T10:00:00Z', cause: 'charge', units: -700, model: 'gpt-4o' },
      { at: '2026-10-02T11:00:00Z', cause: 'charge', units: -100, model: 'o3' },
      { at: '2026-10-02T12:00:00Z', cause: 'charge', units: -300, model: 'gpt-4o' },
      { at: '2026-10-02T13:00:00Z', cause: 'refund', units: 60, model: 'gpt-4o' },
      { at: '2026-10-02T14:00:00Z', cause: 'refund', units: 40 },
      { at: '2026-10-03T09:00:00Z', cause: 'transfer', units: DOLLAR },
      { at: '2026-10-03T09:30:00Z', cause: 'admin_edit', units: -2 * DOLLAR },
      { at: '2026-11-01T00:00:00Z', cause: 'charge', units: -5, model: 'o3' },
    ]);
    const october = await statement(user, '2026-10');
    expect(october).toMatchObject({
      username: user.username,
      time_zone: 'UTC',
      opening: 5 * DOLLAR,
      charges: -1100,
      calls: 3,
      refunds: 100,
      credits: DOLLAR,
      debits: -2 * DOLLAR,
      closing: 4 * DOLLAR - 1000,
    });
    expect(october.days).toEqual([
      {
        day: '2026-10-02',
        from: Date.UTC(2026, 9, 2) / 1000,
        to: Date.UTC(2026, 9, 3) / 1000,
        charges: -1100,
        calls: 3,
        refunds: 100,
        refund_count: 2,
        credits: 0,
        debits: 0,
        closing: 5 * DOLLAR - 1000,
        models: [
          { model: 'gpt-4o', calls: 2, units: -1000 },
          { model: 'o3', calls: 1, units: -100 },
        ],
        refund_models: [
          { model: 'gpt-4o', entries: 1, units: 60 },
          { model: '', entries: 1, units: 40 },
        ],
        movements: [],
        omitted: 0,
      },
      expect.objectContaining({
        day: '2026-10-03',
        closing: 4 * DOLLAR - 1000,
        movements: [
          { cause: 'transfer', created_at: Date.UTC(2026, 9, 3, 9) / 1000, units: DOLLAR },
          {
            cause: 'admin_edit',
            created_at: Date.UTC(2026, 9, 3, 9, 30) / 1000,
            units: -2 * DOLLAR,
          },
        ],
      }),
    ]);
    const september = await statement(user, '2026-09');
    expect(september).toMatchObject({ opening: 0, closing: october.opening, charges: 0 });
    expect(september.days[0]).toMatchObject({ credits: 9 * DOLLAR, debits: -4 * DOLLAR });
    const november = await statement(user, '2026-11');
    expect(november).toMatchObject({ opening: october.closing, closing: october.closing - 5 });
    const { quota } = await site.as(OPERATOR).user.get({ id: user.id });
    expect(november.closing).toBe(quota);
    expect(await statement(user, '2027-01')).toMatchObject({ opening: quota, days: [] });
  });

  it('tell models apart whose names differ in case or have quotes, and entries without one', async () => {
    const user = await site.aUser();
    const at = '2026-10-02T10:00:00Z';
    await postAll(user, [
      { at, cause: 'charge', units: -4, model: 'gpt' },
      { at, cause: 'charge', units: -3, model: 'GPT' },
      { at, cause: 'charge', units: -2, model: 'my "né"' },
      { at, cause: 'charge', units: -1 },
    ]);
    const [day] = (await statement(user, '2026-10')).days;
    expect(day?.models).toEqual([
      { model: 'gpt', calls: 1, units: -4 },
      { model: 'GPT', calls: 1, units: -3 },
      { model: 'my "né"', calls: 1, units: -2 },
      { model: '', calls: 1, units: -1 },
    ]);
  });

  it('end a month at midnight of the time zone, also where the clocks change', async () => {
    const user = await site.aUser();
    await postAll(user, [
      // 31 October, 23:59:59 in New York, and in Kolkata.
      { at: '2026-10-31T18:29:59Z', cause: 'charge', units: -1, model: 'm' },
      { at: '2026-10-31T18:30:00Z', cause: 'charge', units: -10, model: 'm' },
      { at: '2026-11-01T03:59:59Z', cause: 'charge', units: -100, model: 'm' },
      { at: '2026-11-01T04:00:00Z', cause: 'charge', units: -1000, model: 'm' },
      // 1 November has 25 hours in New York.
      { at: '2026-11-02T04:59:59Z', cause: 'charge', units: -10_000, model: 'm' },
      { at: '2026-11-02T05:00:00Z', cause: 'charge', units: -100_000, model: 'm' },
    ]);
    const kolkata = await statement(user, '2026-10', 'Asia/Kolkata');
    expect(kolkata).toMatchObject({ opening: 0, charges: -1, closing: -1 });
    expect(kolkata.days).toMatchObject([{ day: '2026-10-31', charges: -1 }]);
    const newYork = await statement(user, '2026-11', 'America/New_York');
    expect(newYork).toMatchObject({ opening: -111, charges: -111_000, closing: -111_111 });
    expect(newYork.days).toMatchObject([
      { day: '2026-11-01', charges: -11_000, from: Date.UTC(2026, 10, 1, 4) / 1000 },
      { day: '2026-11-02', charges: -100_000, from: Date.UTC(2026, 10, 2, 5) / 1000 },
    ]);
  });

  it('list a bounded number of changes, and sum all of them', async () => {
    const user = await site.aUser();
    const rows = Array.from({ length: 2_600 }, (_, index) => ({
      key: `many:${kind}:${index}`,
      cause: 'check_in',
      user_id: user.id,
      user_units: 2,
      created_at: Date.UTC(2026, 7, 1) / 1000 + index * 1000,
    }));
    await site.databases.db.batchInsert('ledger', rows, 100);
    await site.databases.db('users').where({ id: user.id }).update({ quota: 5_200 });
    const august = await statement(user, '2026-08');
    expect(august).toMatchObject({ opening: 0, credits: 5_200, closing: 5_200 });
    const listed = august.days.flatMap(({ movements }) => movements);
    expect(listed).toHaveLength(500);
    expect(august.days.reduce((sum, { omitted }) => sum + omitted, 0)).toBe(2_100);
    const text = await textOf(await site.as(user.actor).statement.ownCsv({ month: '2026-08' }));
    const lines = text.trim().split('\n');
    const units = lines.slice(1).map((line) => Number(line.split(',')[5] || 0));
    expect(units.reduce((sum, one) => sum + one, 0)).toBe(5_200);
  });

  it('are the same after the ledger was summed', async () => {
    const user = await site.aUser();
    await postAll(user, [
      { at: '2026-06-01T00:00:00Z', cause: 'topup', units: 50 },
      { at: '2026-07-01T00:00:00Z', cause: 'charge', units: -20, model: 'm' },
    ]);
    const before = await statement(user, '2026-06');
    expect(before).toMatchObject({ opening: 0, closing: 50 });
    await sumLedger(site.databases);
    expect(await statement(user, '2026-06')).toEqual(before);
  });

  it('are refused if the balance is not the sum of its entries', async () => {
    const user = await site.aUser();
    await postAll(user, [{ at: '2026-05-01T00:00:00Z', cause: 'topup', units: 50 }]);
    await site.databases.db('users').where({ id: user.id }).update({ quota: 51 });
    await expectRefusal(statement(user, '2026-05'), 'statement_differs');
    await site.databases.db('users').where({ id: user.id }).update({ quota: 50 });
  });

  it('of others are for administrators above them', async () => {
    const user = await site.aUser();
    const admin = await site.aUser({ role: 10 });
    const other = await site.aUser({ role: 10 });
    await postAll(user, [{ at: '2026-11-03T00:00:00Z', cause: 'topup', units: 50 }]);
    const asked = { id: user.id, month: '2026-11' };
    expect(await site.as(admin.actor).statement.ofUser(asked)).toMatchObject({ closing: 50 });
    await expectRefusal(
      site.as(admin.actor).statement.ofUser({ ...asked, id: other.id }),
      'user_protected',
    );
    await expectRefusal(
      site.as(OPERATOR).statement.ofUser({ ...asked, id: 999_999 }),
      'user_missing',
    );
  });

  it('as CSV have a line for each change, and for the charges of a day by a model', async () => {
    const user = await site.aUser();
    await postAll(user, [
      { at: '2026-11-03T08:00:00Z', cause: 'topup', units: DOLLAR },
      { at: '2026-11-03T09:00:00Z', cause: 'charge', units: -250, model: 'gpt-4o' },
      { at: '2026-11-04T09:00:00Z', cause: 'refund', units: 250 },
    ]);
    const text = await textOf(await site.as(user.actor).statement.ownCsv({ month: '2026-11' }));
    expect(text.trim().split('\n')).toEqual([
      'time,day,cause,model,entries,units,usd,balance',
      '2026-11-01T00:00:00.000Z,,opening_balance,,,,,0',
      '2026-11-03T08:00:00.000Z,2026-11-03,topup,,1,500000,1.000000,',
      ',2026-11-03,charge,gpt-4o,1,-250,-0.000500,499750',
      ',2026-11-04,refund,,1,250,0.000500,500000',
      '2026-12-01T00:00:00.000Z,,closing_balance,,,,,500000',
    ]);
  });
});
