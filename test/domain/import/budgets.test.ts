import { describe, expect, it } from 'vitest';
import { importedBudgets } from '../../../src/domain/import/budgets.ts';

const NOW_SEC = 1_800_000_000;
const at = (sec: number) => new Date(sec * 1000).toISOString();

function read(row: Readonly<Record<string, unknown>>) {
  const lost: string[] = [];
  const lose = (field: string, limit: string) => void lost.push(`${field} ${limit}`);
  const budgets = importedBudgets(row, { unitsPerUsd: 100, nowSec: NOW_SEC, lose });
  return { budgets, lost };
}

describe('budgets of another program', () => {
  it.each([
    ['', 'total'],
    [null, 'total'],
    ['1h', 'hour'],
    ['60m', 'hour'],
    ['3600s', 'hour'],
    ['5h', '5h'],
    ['24h', 'day'],
    ['1d', 'day'],
    ['7d', 'week'],
    ['1w', 'week'],
    ['30d', 'month'],
    ['31d', 'month'],
    ['1mo', 'month'],
  ])('with the duration %j have the period %s', (budget_duration, period) => {
    const { budgets, lost } = read({ max_budget: '2.5', budget_duration });
    expect(budgets).toMatchObject([{ period, limit: 250, models: [] }]);
    expect(lost).toEqual([]);
  });

  it.each(['30s', '2h', '2mo', '1y', 'monthly', '0d'])('with the duration %s are lost', (text) => {
    const { budgets, lost } = read({ max_budget: 2, budget_duration: text });
    expect(budgets).toEqual([]);
    expect(lost).toEqual([`max_budget 2 USD / ${text}`]);
  });

  it('have what was spent until the reset, and nothing after it', () => {
    const row = { max_budget: 2, budget_duration: '1d', spend: 1.5 };
    const [soon, past] = [NOW_SEC + 60, NOW_SEC - 60];
    expect(read({ ...row, budget_reset_at: at(soon) }).budgets).toMatchObject([
      { spent: 150, resetsAtSec: soon },
    ]);
    expect(read({ ...row, budget_reset_at: at(past) }).budgets).toMatchObject([
      { spent: 0, resetsAtSec: 0 },
    ]);
    expect(read({ ...row, budget_reset_at: null }).budgets).toMatchObject([
      { spent: 150, resetsAtSec: 0 },
    ]);
  });

  it('of 0 become the least limit, and absent ones nothing', () => {
    expect(read({ max_budget: '0' }).budgets).toMatchObject([{ limit: 1 }]);
    expect(read({ max_budget: null, model_max_budget: '{}', spend: 9 }).budgets).toEqual([]);
  });

  it('of single models may be numbers or objects of either version', () => {
    const model_max_budget = JSON.stringify({
      a: 1,
      b: { max_budget: '2', budget_duration: '1d' },
      c: { budget_limit: 3, time_period: '7d' },
      d: { tpm_limit: 5 },
    });
    expect(read({ model_max_budget, spend: 9 }).budgets).toEqual([
      { period: 'total', models: ['a'], limit: 100, spent: 0, resetsAtSec: 0 },
      { period: 'day', models: ['b'], limit: 200, spent: 0, resetsAtSec: 0 },
      { period: 'week', models: ['c'], limit: 300, spent: 0, resetsAtSec: 0 },
    ]);
  });
});
