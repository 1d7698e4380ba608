/** What a change of options would take away from users: groups and prices in use. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { OPTION_KEYS, type OptionKey, type OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../domain/options/rows/pricing.ts';
import { isFallbackPricing } from '../../domain/options/rules.ts';
import { findPrice, STRICT } from '../../domain/pricing/find-price.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import { channelsPerGroup, servedModels } from '../../store/tables/abilities-table.ts';
import { tokensPerGroup } from '../../store/tables/tokens-table.ts';
import { usersPerGroup } from '../../store/tables/users-table.ts';
import { priceTables } from '../cache/effective-prices.ts';

const PRICE_KEYS: readonly OptionKey[] = [
  ...PRICE_OPTIONS,
  'SyncedRates',
  ...OPTION_KEYS.filter(isFallbackPricing),
];

/**
 * `group_in_use` for each removed group that has users, channels or tokens, and `prices_in_use` if
 * models that channels serve lose their price.
 */
export async function impactOfOptions(
  ctx: Pick<Context, 'db' | 'now'>,
  before: OptionValues,
  after: OptionValues,
): Promise<AppError[]> {
  const kept = after.get('GroupRatio');
  const removed = Object.keys(before.get('GroupRatio')).filter(
    (name) => !Object.hasOwn(kept, name),
  );
  const groups = await usedGroups(ctx, removed);
  const changesPrices = PRICE_KEYS.some((key) => before.raw(key) !== after.raw(key));
  return changesPrices ? [...groups, ...(await lostPrices(ctx, before, after))] : groups;
}

async function usedGroups(
  { db }: Pick<Context, 'db'>,
  groups: readonly string[],
): Promise<AppError[]> {
  if (groups.length === 0) return [];
  const [users, channels, tokens] = [
    await usersPerGroup(db),
    await channelsPerGroup(db),
    await tokensPerGroup(db),
  ];
  return groups.flatMap((group) => {
    const uses = {
      users: users.get(group) ?? 0,
      channels: channels.get(group) ?? 0,
      tokens: tokens.get(group) ?? 0,
    };
    const isUsed = uses.users + uses.channels + uses.tokens > 0;
    return isUsed
      ? [new AppError('group_in_use', { group, ...uses }, { param: 'GroupRatio' })]
      : [];
  });
}

/** Calls of a model that loses its price would be refused. */
async function lostPrices(
  { db, now }: Pick<Context, 'db' | 'now'>,
  before: OptionValues,
  after: OptionValues,
): Promise<AppError[]> {
  const moment = { atMs: now() };
  const isPriced = (options: OptionValues, requested: string) =>
    findPrice(priceTables(options), { requested }, STRICT, moment) !== undefined;
  const served = await servedModels(db);
  // Few models have no price afterwards, and only these need the tables of before.
  const lost = served.filter((model) => !isPriced(after, model) && isPriced(before, model));
  return lost.length > 0 ? [new AppError('prices_in_use', { models: firstNames(lost) })] : [];
}
