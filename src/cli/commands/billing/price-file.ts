/** `gateway price import` and `reset`: change all prices at once. */

import {
  type ImportedRates,
  pricesForKnownModels,
} from '../../../domain/pricing/price-file/merge-price.ts';
import { type RateChange, rateChanges } from '../../../domain/pricing/price-file/rate-changes.ts';
import {
  countByReason,
  type FilePrices,
  type SkippedPrice,
} from '../../../domain/pricing/price-file/row.ts';
import { parseJson } from '../../../json/read-json.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { allPages } from '../../lookup/paged-lists.ts';
import { type PlanLine, planText } from '../../output/dry-run-plan.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import type { PriceReply } from '../../site-file/settings.ts';
import { DELETED_VIEW } from '../common-verbs.ts';

export const importPrices = command({
  usage: 'import <file>',
  flags: ['--enabled', '--q <text>', '--exit-code'],
  examples: [
    'import prices.yaml --dry-run',
    'import model_prices_and_context_window.json --enabled',
    'import - < pricing.json',
  ],
  async run(cli, { file, enabled = false, q, exitCode = false }) {
    const known = await pricesNow(cli);
    const isMeant = ({ model }: { readonly model: string }) =>
      (!enabled || known.get(model)?.enabled === true) &&
      model.toLowerCase().includes((q ?? '').toLowerCase());
    const all = pricesForKnownModels(await pricesOf(cli, file), (model) => known.get(model));
    const prices = all.prices.filter(isMeant);
    const skipped = all.skipped.filter(isMeant);
    const plans = prices.map((price) => ({
      price,
      line: lineOf(price.model, rateChanges(price, known.get(price.model))),
    }));
    const changed = plans.filter(({ line }) => line.action !== 'same');
    if (!cli.globals.dryRun && changed.length > 0)
      await (await cli.api()).price.setMany({ prices: changed.map(({ price }) => price) });
    shown(
      cli,
      changed.map(({ line }) => line),
      skipped,
    );
    const counts = { changed: changed.length, same: plans.length - changed.length };
    cli.say(cli.t('cli.say.prices_imported', counts));
    if (cli.globals.dryRun) cli.say(cli.t('cli.say.dry_run'));
    return driftOf(exitCode && changed.length > 0);
  },
});

/** The rates that an entry of a price list changes. */
function lineOf(model: string, rates: readonly RateChange[]): PlanLine {
  const changes = rates.map(({ field, when, from, to }) => ({
    field: when === undefined ? field : `${field} ${JSON.stringify(when)}`,
    from: from ?? undefined,
    to,
  }));
  // A new price has a rate to be charged by.
  const isNew = UNITS.some((unit) =>
    rates.some(({ field, when, from }) => field === unit && when === undefined && from === null),
  );
  const action = changes.length === 0 ? 'same' : isNew ? 'create' : 'update';
  return { action, noun: 'price', name: model, changes };
}

function driftOf(isDrift: boolean): ExitCode {
  return isDrift ? EXIT.checkFailed : EXIT.ok;
}

async function pricesOf(cli: Cli, file: string): Promise<FilePrices> {
  const text = await cli.fileText('<file>', file);
  const [{ readPrices }, { yamlValue }] = await Promise.all([
    import('../../../domain/pricing/price-file/read.ts'),
    import('../../../session/yaml.ts'),
  ]);
  // The YAML parser also reads JSON, but takes seconds for megabytes of it.
  const prices = readPrices(parseJson(text) ?? yamlValue(text));
  if (prices === undefined) throw cli.values.refuse('<file>', 'no_prices');
  return prices;
}

async function pricesNow(cli: Cli): Promise<ReadonlyMap<string, PriceReply>> {
  const api = await cli.api();
  const { items } = await allPages((page) => api.price.list(page));
  return new Map(items.map((price) => [price.model, price]));
}

function shown(cli: Cli, lines: readonly PlanLine[], skipped: readonly SkippedPrice[]): void {
  const document = { changed: lines.length > 0, items: lines, skipped };
  cli.printDocument(document, () => lines.map(planText).join(''));
  for (const [reason, count] of countByReason(skipped)) {
    const names = skipped.filter((entry) => entry.reason === reason).map(({ model }) => model);
    const more = cli.globals.verbose ? `\n  ${names.join('\n  ')}` : '';
    cli.say(cli.t('cli.say.price_skipped', { count, reason: cli.t(`cli.skip.${reason}`) }) + more);
  }
}

const UNITS: readonly string[] = ['input', 'second', 'character', 'call'];

const ADDRESS = /^https?:/;
const KNOWN_LISTS: readonly string[] = ['models.dev', 'litellm'];

export const syncPrices = command({
  usage: 'sync [source]',
  flags: ['--enabled', '--q <text>', '--remove', '--exit-code'],
  examples: [
    'sync models.dev --enabled --dry-run',
    'sync https://gateway.example.com/api/pricing',
    'sync model_prices_and_context_window.json --q gemini',
    'sync --remove',
  ],
  async run(cli, { source, enabled = false, q = '', remove = false, exitCode = false }) {
    if (remove) return removeSynced(cli);
    const list = await (source === undefined || isFetched(source)
      ? fetchedList(cli, source, enabled)
      : listInFile(cli, source, enabled));
    const items = list.items.filter(({ price }) => price.model.includes(q));
    if (!cli.globals.dryRun && items.length > 0) {
      const prices = items.map(({ price }) => price);
      await (await cli.api()).priceSource.apply({ source: list.source, prices });
    }
    const lines = items.map(({ price, changes }) => lineOf(price.model, changes));
    cli.printDocument({ changed: lines.length > 0, items: lines }, () =>
      lines.map(planText).join(''),
    );
    const counts = { changed: items.length, same: list.same };
    cli.say(cli.t('cli.say.prices_imported', counts));
    if (list.own > 0) cli.say(cli.t('cli.say.own_prices_kept', { count: list.own }));
    if (cli.globals.dryRun) cli.say(cli.t('cli.say.dry_run'));
    return driftOf(exitCode && items.length > 0);
  },
});

interface PriceList {
  readonly source: string;
  readonly items: readonly {
    readonly price: ImportedRates;
    readonly changes: readonly RateChange[];
  }[];
  readonly same: number;
  readonly own: number;
}

function isFetched(source: string): boolean {
  return KNOWN_LISTS.includes(source) || ADDRESS.test(source);
}

async function fetchedList(
  cli: Cli,
  source: string | undefined,
  enabled: boolean,
): Promise<PriceList> {
  return (await cli.api()).priceSource.changes({ source, enabled });
}

/** For servers that do not reach the internet. */
async function listInFile(cli: Cli, file: string, enabled: boolean): Promise<PriceList> {
  const known = await pricesNow(cli);
  const all = pricesForKnownModels(await pricesOf(cli, file), (model) => known.get(model));
  const prices = all.prices.filter(({ model }) => !enabled || known.get(model)?.enabled === true);
  const differing = prices
    .map((price) => ({ price, changes: rateChanges(price, known.get(price.model)) }))
    .filter(({ changes }) => changes.length > 0);
  const items = differing.filter(({ price }) => known.get(price.model)?.source !== 'override');
  return {
    source: file.slice(file.lastIndexOf('/') + 1),
    items,
    same: prices.length - differing.length,
    own: differing.length - items.length,
  };
}

async function removeSynced(cli: Cli): Promise<ExitCode> {
  const change = { action: 'delete', noun: 'price', name: 'synced' } as const;
  await cli.changeAndPrint(
    change,
    async (api) => ({ deleted: await api.priceSource.remove({}) }),
    DELETED_VIEW,
  );
  return EXIT.ok;
}

export const resetPrices = command({
  usage: 'reset',
  examples: ['reset', 'reset --yes', 'reset --dry-run'],
  async run(cli) {
    const loses = cli.t('cli.loses.prices');
    const change = { action: 'delete', noun: 'price', name: 'own', loses } as const;
    await cli.changeAndPrint(
      change,
      async (api) => ({ deleted: await api.price.reset({}) }),
      DELETED_VIEW,
    );
  },
});
