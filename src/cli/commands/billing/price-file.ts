/** `gateway price import` and `reset`: change all own prices at once. */

import { channelTypeOf } from '../../../domain/channels/channel-types.ts';
import { findModelName } from '../../../domain/pricing/model-names.ts';
import { pricesForKnownModels } from '../../../domain/pricing/price-file/merge-price.ts';
import { UNITS } from '../../../domain/pricing/price-file/offer.ts';
import {
  type RateChange,
  rateChanges,
  rateName,
} from '../../../domain/pricing/price-file/rate-changes.ts';
import {
  countByReason,
  type FilePrices,
  type SkippedPrice,
} from '../../../domain/pricing/price-file/row.ts';
import { parseJson } from '../../../json/read-json.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { allItems } from '../../lookup/paged-lists.ts';
import { type PlanLine, planText } from '../../output/dry-run-plan.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import type { PriceReply } from '../../site-file/settings.ts';
import { deleteMany } from '../delete-listed.ts';

export const importPrices = command({
  usage: 'import <file>',
  flags: ['--enabled', '--q <text>', '--exit-code'],
  examples: [
    'import prices.yaml --dry-run',
    'import api.json --enabled',
    'import - < pricing.json',
  ],
  async run(cli, { file, enabled = false, q, exitCode = false }) {
    const known = await pricesNow(cli);
    const isMeant = ({ model }: { readonly model: string }) =>
      (!enabled || known.get(model)?.enabled === true) &&
      model.toLowerCase().includes((q ?? '').toLowerCase());
    const all = pricesForKnownModels(await pricesOf(cli, file), (model) =>
      priceKnownAs(known, model),
    );
    const prices = all.prices.filter(isMeant);
    const skipped = all.skipped.filter(isMeant);
    const plans = prices.map((price) => ({
      price,
      line: lineOf(price.model, rateChanges(price, known.get(price.model))),
    }));
    const changed = plans.filter(({ line }) => line.action !== 'same');
    if (!cli.globals.dryRun && changed.length > 0)
      await (await cli.api()).price.setMany({ prices: changed.map(({ price }) => price) });
    const lines = changed.map(({ line }) => line);
    shown(cli, lines, skipped);
    const counts = { changed: changed.length, same: plans.length - changed.length };
    cli.note(cli.t('cli.notes.prices_imported', counts));
    if (cli.globals.dryRun) cli.note(cli.t('cli.notes.dry_run'));
    return driftOf(exitCode && changed.length > 0);
  },
});

/** The rates that an entry of a price list changes. */
export function lineOf(model: string, rates: readonly RateChange[]): PlanLine {
  const changes = rates.map((change) => ({
    field: rateName(change),
    from: change.from ?? undefined,
    to: change.to,
  }));
  // A new price has a rate to be charged by.
  const isNew = UNITS.some((unit) =>
    rates.some(({ field, when, from }) => field === unit && when === undefined && from === null),
  );
  const action = changes.length === 0 ? 'same' : isNew ? 'create' : 'update';
  return { action, noun: 'price', name: model, changes };
}

export function driftOf(isDrift: boolean): ExitCode {
  return isDrift ? EXIT.checkFailed : EXIT.ok;
}

export async function pricesOf(cli: Cli, file: string): Promise<FilePrices> {
  const text = await cli.fileText('<file>', file);
  const [{ readPrices }, { yamlProblem, yamlValue }] = await Promise.all([
    import('../../../domain/pricing/price-file/read.ts'),
    import('../../../session/yaml.ts'),
  ]);
  // The YAML parser also reads JSON, but takes seconds for megabytes of it.
  const providers = await providersInUse(cli);
  const content = parseJson(text) ?? yamlValue(text);
  if (content === undefined) throw cli.values.refuse('<file>', ...yamlProblem(text));
  const prices = readPrices(content, providers);
  if (prices === undefined) throw cli.values.refuse('<file>', 'no_prices');
  return prices;
}

/** Slugs of the provider types that have a channel. */
async function providersInUse(cli: Cli): Promise<ReadonlySet<string>> {
  const api = await cli.api();
  const channels = await allItems(api.channel.list);
  return new Set(channels.flatMap(({ type }) => channelTypeOf(type)?.slug ?? []));
}

/** The price of a model, also by another of its names. */
export function priceKnownAs(
  known: ReadonlyMap<string, PriceReply>,
  model: string,
): PriceReply | undefined {
  return known.get(model) ?? known.get(findModelName(known, model) ?? '');
}

export async function pricesNow(cli: Cli): Promise<ReadonlyMap<string, PriceReply>> {
  const api = await cli.api();
  const items = await allItems(api.price.list);
  return new Map(items.map((price) => [price.model, price]));
}

function shown(cli: Cli, lines: readonly PlanLine[], skipped: readonly SkippedPrice[]): void {
  const document = { changed: lines.length > 0, items: lines, total: lines.length, skipped };
  cli.printDocument(document, () => lines.map(planText).join(''));
  for (const [reason, count] of countByReason(skipped)) {
    const names = skipped.filter((entry) => entry.reason === reason).map(({ model }) => model);
    const more = cli.globals.verbose ? `\n  ${names.join('\n  ')}` : '';
    cli.note(
      cli.t('cli.notes.price_skipped', { count, reason: cli.t(`cli.skip.${reason}`) }) + more,
    );
  }
}

export const resetPrices = command({
  usage: 'reset',
  examples: ['reset', 'reset --yes', 'reset --dry-run'],
  async run(cli) {
    const own = { noun: 'price', name: 'own', loses: cli.t('cli.loses.prices') };
    await deleteMany(cli, own, (api) => api.price.reset({}));
  },
});
