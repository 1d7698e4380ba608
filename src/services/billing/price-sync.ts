/**
 * The scheduled comparison with the price source: adopts what the option PriceSyncTakes allows,
 * and reports each price that moved of a model with calls to the super administrators, once.
 */
import { type Actor, terminalVisit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { hourOf } from '../../domain/logs/log-hours.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { type RateChange, rateName } from '../../domain/pricing/price-file/rate-changes.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { callSumsBySubject } from '../../store/logs/log-hours.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import { claimPriceAlert } from '../../store/tables/notices-table.ts';
import { notifyPriceChanges } from '../messaging/notify/events.ts';
import { apply, comparePrices } from './price-source.ts';

interface Item {
  readonly model: string;
  readonly changes: readonly RateChange[];
}

/** May run any number of times. @throws AppError as `comparePrices` and `apply`. */
export async function syncPrices(ctx: Context, actor: Actor, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { source, items } = await comparePrices(ctx, {});
  signal.throwIfAborted();
  const served = new Set(await servedModels(ctx.reads));
  const takes = ctx.options().get('PriceSyncTakes');
  const taken = items.filter(
    ({ price: { model }, changes }) =>
      takes !== 'none' && (takes === 'all' || served.has(model)) && changes.every(isPlausible),
  );
  const prices = taken.map(({ price }) => price);
  if (prices.length > 0) await apply(ctx, actor, { source, prices }, terminalVisit());
  const isCalled = await calledModels(ctx);
  const moved = items.filter(
    ({ price, changes }) =>
      served.has(price.model) && isCalled(price.model) && changes.some(isNotable),
  );
  const isTaken = (item: (typeof items)[number]) => taken.includes(item);
  await report(ctx, source, 'prices_moved', moved.filter((item) => !isTaken(item)).map(itemOf));
  await report(ctx, source, 'prices_taken', moved.filter(isTaken).map(itemOf));
}

function itemOf(item: {
  readonly price: { readonly model: string };
  readonly changes: Item['changes'];
}): Item {
  return { model: item.price.model, changes: item.changes };
}

/** Price changes of models of which nothing is used are not worth a notification. */
const CALLED_WITHIN_DAYS = 30;

/** Whether a model was called lately; the log has its name with the prefix of a channel. */
async function calledModels(ctx: Context): Promise<(model: string) => boolean> {
  const fromSec = hourOf(nowSec(ctx)) - CALLED_WITHIN_DAYS * DAY_SEC;
  const query = { scope: 'model', fromSec, toSec: undefined } as const;
  const sums = await callSumsBySubject(ctx.logDatabase.reads, query);
  const names = [...sums].filter(([, { calls }]) => calls > 0).map(([name]) => name);
  return (model) => names.some((name) => name.endsWith(model));
}

/** Of the rate that is in force. */
const LEAST_CHANGE = 0.01;

/** Smaller changes are roundings of the list. */
function isNotable({ from, to }: RateChange): boolean {
  if (from === null || to === null) return true;
  return Math.abs(to - from) > LEAST_CHANGE * from;
}

/** A list with an error must not make a model free, or ten times as expensive. */
const MOST_FACTOR = 10;

function isPlausible({ from, to }: RateChange): boolean {
  if (from === null || to === null || from === to) return true;
  return from > 0 && to * MOST_FACTOR >= from && to <= from * MOST_FACTOR;
}

/** Reports only what was not reported before. */
async function report(
  ctx: Context,
  source: string,
  text: 'prices_moved' | 'prices_taken',
  items: readonly Item[],
): Promise<void> {
  const atSec = nowSec(ctx);
  const fresh = await inTransaction(ctx, async ({ db }) => {
    const claimed: Item[] = [];
    for (const item of items)
      if (await claimPriceAlert(db, alertName(item), atSec)) claimed.push(item);
    return claimed;
  });
  if (fresh.length > 0) notifyPriceChanges(ctx, { text, source, lines: fresh.map(lineOf) });
}

function alertName({ model, changes }: Item): string {
  return JSON.stringify([model, changes]);
}

/** `gpt-5.5: input 1 -> 1.2, output (tier flex) 5 -> 6`. */
function lineOf({ model, changes }: Item): string {
  const rates = changes.map(
    (change) => `${rateName(change)} ${change.from ?? '-'} -> ${change.to ?? '-'}`,
  );
  return `${model}: ${rates.join(', ')}`;
}
