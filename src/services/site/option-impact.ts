/** What a change of options would take away from users: groups and prices in use. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { OPTION_KEYS, type OptionKey, type OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../domain/options/rows/pricing.ts';
import { isFallbackPricing } from '../../domain/options/rules.ts';
import { findPrice, STRICT } from '../../domain/pricing/find-price.ts';
import { channelsPerGroup, servedModels } from '../../store/tables/abilities-table.ts';
import { tokensPerGroup } from '../../store/tables/tokens-table.ts';
import { usersPerGroup } from '../../store/tables/users-table.ts';
import { priceTables } from '../billing/effective-prices.ts';
import { firstNames } from '../first-names.ts';

const PRICE_KEYS: readonly OptionKey[] = [
  ...PRICE_OPTIONS,
  'SyncedRates',
  ...OPTION_KEYS.filter(isFallbackPricing),
];

/**
 * @throws AppError `group_in_use` for a removed group that has users, channels or tokens, and
 * `prices_in_use` if models that channels serve would lose their price.
 */
export async function requireHarmless(
  ctx: Pick<Context, 'db' | 'now'>,
  before: OptionValues,
  after: OptionValues,
): Promise<void> {
  const kept = after.get('GroupRatio');
  const removed = Object.keys(before.get('GroupRatio')).filter(
    (name) => !Object.hasOwn(kept, name),
  );
  await requireUnusedGroups(ctx, removed);
  if (PRICE_KEYS.some((key) => before.raw(key) !== after.raw(key)))
    await requirePrices(ctx, before, after);
}

async function requireUnusedGroups(
  { db }: Pick<Context, 'db'>,
  groups: readonly string[],
): Promise<void> {
  if (groups.length === 0) return;
  const [users, channels, tokens] = [
    await usersPerGroup(db),
    await channelsPerGroup(db),
    await tokensPerGroup(db),
  ];
  for (const group of groups) {
    const uses = {
      users: users.get(group) ?? 0,
      channels: channels.get(group) ?? 0,
      tokens: tokens.get(group) ?? 0,
    };
    if (uses.users + uses.channels + uses.tokens > 0)
      throw new AppError('group_in_use', { group, ...uses }, { param: 'GroupRatio' });
  }
}

/** Calls of a model that loses its price would be refused. */
async function requirePrices(
  { db, now }: Pick<Context, 'db' | 'now'>,
  before: OptionValues,
  after: OptionValues,
): Promise<void> {
  const moment = { atMs: now() };
  const isPriced = (options: OptionValues, requested: string) =>
    findPrice(priceTables(options), { requested }, STRICT, moment) !== undefined;
  const served = await servedModels(db);
  const lost = served.filter((model) => isPriced(before, model) && !isPriced(after, model));
  if (lost.length > 0) throw new AppError('prices_in_use', { models: firstNames(lost) });
}
