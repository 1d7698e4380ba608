/** `gateway price sync`: adopts published prices as a layer below the own ones. */
import { RATE_KINDS } from '../../../domain/pricing/catalog/rate-kinds.ts';
import { partOfPrice } from '../../../domain/pricing/price-file/accept-price.ts';
import {
  comparedPrices,
  type PriceComparison,
} from '../../../domain/pricing/price-file/compare-prices.ts';
import { addressOfList } from '../../../domain/pricing/price-file/known-lists.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf } from '../../command.ts';
import { planText } from '../../output/dry-run-plan.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { deleteMany } from '../delete-listed.ts';
import { driftOf, lineOf, priceKnownAs, pricesNow, pricesOf } from './price-file.ts';

export const syncPrices = command({
  usage: 'sync [source]',
  flags: [
    '--enabled',
    '--q <text>',
    '--model <models>',
    '--only <rates>',
    '--remove',
    '--exit-code',
  ],
  examples: [
    'sync models.dev --enabled --dry-run',
    'sync https://gateway.example.com/api/pricing',
    'sync models.dev --model gpt-5.5,claude-opus-5 --only input,output',
    'sync api.json --q gemini',
    'sync --remove',
  ],
  async run(cli, { source, enabled = false, remove = false, exitCode = false, ...chosen }) {
    if (remove) return removeSynced(cli);
    const list: PriceList =
      source === undefined || isFetched(source)
        ? await (await cli.api()).priceSource.changes({ source, enabled })
        : await listInFile(cli, source, enabled);
    const items = chosenItems(cli, list.items, chosen);
    shown(cli, items);
    const isTaken = items.length > 0 && !cli.globals.dryRun;
    if (isTaken) {
      if (cli.mayAsk())
        await cli.confirm('price', cli.t('cli.loses.synced', { count: items.length }));
      const prices = items.map(({ price, part }) => ({ model: price.model, ...part }));
      await (await cli.api()).priceSource.apply({ source: list.source, prices });
    }
    const counts = { changed: items.length, same: list.same };
    cli.note(cli.t('cli.notes.prices_imported', counts));
    if (list.own > 0) cli.note(cli.t('cli.notes.own_prices_kept', { count: list.own }));
    if (cli.globals.dryRun) cli.note(cli.t('cli.notes.dry_run'));
    return driftOf(exitCode && items.length > 0);
  },
});

type PriceList = Omit<PriceComparison, 'skipped'> & { readonly source: string };
type PriceItem = PriceList['items'][number];

type Chosen = FlagsOf<'--q <text>' | '--model <models>' | '--only <rates>'>;

/** The changes that the flags select, and the part of each price that they stand for. */
function chosenItems(cli: Cli, items: readonly PriceItem[], { q = '', model, only }: Chosen) {
  const models = cli.values.list(model);
  const rates = cli.values.list(only);
  const unknown = rates?.find((rate) => !RATE_KINDS.some((kind) => kind === rate));
  if (unknown !== undefined)
    throw cli.values.refuse('--only', 'unknown_field', { field: unknown, known: RATE_KINDS });
  return items
    .filter(({ price }) => price.model.includes(q) && (models?.includes(price.model) ?? true))
    .map((item) => {
      const changes = item.changes.filter(({ field }) => rates?.includes(field) ?? true);
      const isWhole = changes.length === item.changes.length;
      const part = isWhole ? item.price : partOfPrice(item.price, changes);
      return { ...item, changes, part: { rates: part.rates, variants: [...part.variants] } };
    })
    .filter(({ changes }) => changes.length > 0);
}

function shown(cli: Cli, items: readonly PriceItem[]): void {
  const lines = items.map(({ price, changes, origin, since }) => ({
    ...lineOf(price.model, changes),
    origin,
    since,
  }));
  cli.printDocument({ changed: lines.length > 0, items: lines, total: lines.length }, () =>
    lines.map((line) => planText({ ...line, note: line.origin })).join(''),
  );
}

const ADDRESS = /^https?:/;

function isFetched(source: string): boolean {
  return addressOfList(source) !== undefined || ADDRESS.test(source);
}

/** For servers that do not reach the internet. */
async function listInFile(cli: Cli, file: string, enabled: boolean): Promise<PriceList> {
  const known = await pricesNow(cli);
  const knownOf = (model: string) => priceKnownAs(known, model);
  const isSelected = (model: string) => !enabled || known.get(model)?.enabled === true;
  const compared = comparedPrices(await pricesOf(cli, file), knownOf, isSelected);
  return { ...compared, source: file.slice(file.lastIndexOf('/') + 1) };
}

async function removeSynced(cli: Cli): Promise<ExitCode> {
  const synced = { noun: 'price', name: 'synced' };
  await deleteMany(cli, synced, (api) => api.priceSource.remove({}));
  return EXIT.ok;
}
