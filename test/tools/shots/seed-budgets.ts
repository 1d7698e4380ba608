/** Budgets of every subject, in every state that the console shows. */
import type { OpenedSite } from '../../../src/boot.ts';
import type { LocalApi } from '../../../src/session/session.ts';

interface Seeded {
  readonly subject: 'token' | 'user' | 'group' | 'channel' | 'model' | 'site';
  /** The share of the limit that the current window has spent, and what it holds. */
  readonly spent: number;
  readonly held?: number;
  readonly fields: Omit<Parameters<LocalApi['budget']['create']>[0], 'subject' | 'period'> & {
    readonly period: 'hour' | '5h' | 'day' | 'week' | 'month' | 'total';
  };
  /** Added to the limit. */
  readonly raised?: number;
}

const USD = 500_000;
const ZONE = { time_zone: 'Asia/Shanghai' };

const BUDGETS: readonly Seeded[] = [
  { subject: 'site', spent: 0.42, held: 0.03, fields: { limit_amount: 500 * USD, period: 'day' } },
  {
    subject: 'model',
    spent: 0.91,
    fields: { subject_id: 'gpt-4o', limit_amount: 200 * USD, period: 'month', ...ZONE },
  },
  {
    subject: 'group',
    spent: 0.35,
    fields: {
      subject_id: 'bulk',
      limit_amount: 20_000,
      period: 'day',
      measure: 'calls',
      shadow: true,
    },
  },
  {
    subject: 'channel',
    spent: 1,
    fields: { subject_id: '16', limit_amount: 50 * USD, period: 'week' },
  },
  {
    subject: 'channel',
    spent: 0.2,
    fields: { subject_id: '7', limit_amount: 2000 * USD, period: 'month', status: 2 },
  },
  {
    subject: 'token',
    spent: 0.86,
    held: 0.05,
    fields: {
      subject_id: '1',
      limit_amount: 10 * USD,
      period: 'day',
      on_full: 'downgrade',
      downgrade_model: 'gpt-4o-mini',
      ...ZONE,
    },
  },
  {
    subject: 'token',
    spent: 0.1,
    fields: {
      subject_id: '1',
      limit_amount: 4_000_000,
      period: '5h',
      measure: 'tokens',
      models: ['claude-sonnet-4-20250514', 'claude-3-5-haiku'],
    },
  },
  {
    subject: 'user',
    spent: 0.75,
    raised: 25 * USD,
    fields: { subject_id: '2', limit_amount: 100 * USD, period: 'month' },
  },
  {
    subject: 'user',
    spent: 0.3,
    fields: { subject_id: '5', limit_amount: 1000 * USD, period: 'total' },
  },
];

export async function seedBudgets({ ctx }: OpenedSite, api: LocalApi): Promise<void> {
  for (const { subject, spent, held = 0, raised, fields } of BUDGETS) {
    const made = await api.budget.create({ subject, ...fields });
    const { id, limit_amount, starts_at, resets_at } = made;
    if (raised !== undefined) await api.budget.raise({ id, amount: raised });
    const window = (before: number, share: number, holds: number) => ({
      budget_id: id,
      starts_at: starts_at - before * (resets_at - starts_at),
      ends_at:
        resets_at === 0 ? 253_402_300_799 : starts_at + (1 - before) * (resets_at - starts_at),
      spent: Math.round(limit_amount * share),
      held: Math.round(limit_amount * holds),
    });
    const past = resets_at === 0 ? [] : [window(1, 0.97, 0), window(2, 0.64, 0)];
    await ctx.db('budget_windows').insert([window(0, spent, held), ...past]);
  }
}
