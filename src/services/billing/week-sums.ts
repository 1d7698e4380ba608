/** What an account, or the whole site, spent in a week. */
import type { Context } from '../../context.ts';
import type { DigestWeek } from '../../domain/digest-week.ts';
import { hourOf, type LogHour } from '../../domain/logs/log-hours.ts';
import { LOG_TYPE, SPEND_TYPES, spentUnits } from '../../domain/logs/log-types.ts';
import { callSumsBySubject, sumHours } from '../../store/logs/log-hours.ts';
import { usageOfUser } from '../../store/logs/quota-data.ts';
import { quotaAmountText } from '../logs/audit.ts';

interface ModelSpend {
  readonly model: string;
  readonly quota: number;
  readonly calls: number;
}

export interface WeekSums {
  readonly charges: number;
  readonly refunds: number;
  readonly calls: number;
  /** Net spend of the week before. */
  readonly before: number;
  /** Those with the highest net spend. */
  readonly models: readonly ModelSpend[];
}

const TOP_MODELS = 3;

/** In whole hours. Undefined if neither this week nor the one before has a call. */
export async function weekOf(
  ctx: Context,
  { beforeSec, fromSec, toSec }: DigestWeek,
  userId?: number,
): Promise<WeekSums | undefined> {
  const range = { fromSec: hourOf(fromSec), toSec: hourOf(toSec) };
  const week = await sumsOf(ctx, range, userId);
  const before = await sumsOf(ctx, { fromSec: hourOf(beforeSec), toSec: range.fromSec }, userId);
  if (week.length === 0 && before.length === 0) return undefined;
  const cell = (type: number) => week.find((one) => one.type === type);
  return {
    charges: cell(LOG_TYPE.consume)?.quota ?? 0,
    refunds: cell(LOG_TYPE.refund)?.quota ?? 0,
    calls: cell(LOG_TYPE.consume)?.lines ?? 0,
    before: before.reduce((sum, { type, quota }) => sum + spentUnits(type, quota), 0),
    models: await (userId === undefined ? modelsOfSite(ctx, range) : modelsOf(ctx, range, userId)),
  };
}

interface Range {
  readonly fromSec: number;
  readonly toSec: number;
}

async function sumsOf(ctx: Context, range: Range, userId?: number): Promise<LogHour[]> {
  const subject = userId === undefined ? '' : String(userId);
  const scope = userId === undefined ? 'site' : 'user';
  const cells = await sumHours(ctx.logDatabase.reads, {
    ...range,
    scope,
    subjects: (query) => void query.where({ subject }),
  });
  return cells.filter(({ type }) => SPEND_TYPES.some((one) => one === type));
}

async function modelsOfSite(ctx: Context, range: Range): Promise<ModelSpend[]> {
  const query = { ...range, scope: 'model' } as const;
  const sums = await callSumsBySubject(ctx.logDatabase.reads, query, TOP_MODELS);
  return [...sums].map(([model, { quota, calls }]) => ({ model, quota, calls }));
}

async function modelsOf(ctx: Context, range: Range, userId: number): Promise<ModelSpend[]> {
  const usage = await usageOfUser(ctx.logDatabase.reads, userId, {
    sinceSec: range.fromSec,
    untilSec: range.toSec - 1,
  });
  const models = new Map<string, ModelSpend>();
  for (const { model_name: model, quota, count } of usage) {
    const known = models.get(model);
    models.set(model, {
      model,
      quota: (known?.quota ?? 0) + quota,
      calls: (known?.calls ?? 0) + count,
    });
  }
  return [...models.values()].sort((a, b) => b.quota - a.quota).slice(0, TOP_MODELS);
}

/** `gpt-5.5: $1.20 (34)`, one line per model. */
export function modelLines(ctx: Context, { models }: WeekSums): string {
  return models
    .map(({ model, quota, calls }) => `${model}: ${quotaAmountText(ctx, quota)} (${calls})`)
    .join('\n');
}
