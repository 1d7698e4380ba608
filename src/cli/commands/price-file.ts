/** `gateway price import` and `reset`: all prices at once. */
import type { Cli } from '../cli.ts';
import { command } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { everyPage } from '../paging.ts';
import { type PriceInput, pricesIn } from '../price-file.ts';
import type { Price } from '../site-file/settings.ts';
import type { Step } from '../site-file/step.ts';
import { withoutLastLineBreak } from '../values.ts';

export const importAll = command({
  usage: 'import <file>',
  flags: ['--enabled', '--q <text>', '--exit-code'],
  examples: [
    'import prices.yaml --dry-run',
    'import model_prices_and_context_window.json --enabled',
    'import - < pricing.json',
  ],
  async run(cli, { file, enabled = false, q, exitCode = false }) {
    const wanted = await pricesOf(cli, file);
    const known = await pricesNow(cli);
    const isMeant = ({ model }: PriceInput) =>
      (!enabled || known.get(model)?.enabled === true) &&
      model.toLowerCase().includes((q ?? '').toLowerCase());
    const chosen = wanted.filter(isMeant);
    const usable = chosen.filter((price) => hasBase(price, known.get(price.model)));
    if (usable.length < chosen.length)
      cli.say(cli.t('cli.say.no_base_price', { count: chosen.length - usable.length }));
    const [{ priceStep }, { isChange }] = await Promise.all([
      import('../site-file/settings.ts'),
      import('../site-file/step.ts'),
    ]);
    const steps = usable.map((price) => ({
      price,
      step: priceStep(price, known.get(price.model)),
    }));
    const changed = steps.filter(({ step }) => isChange(step));
    if (!cli.globals.dryRun && changed.length > 0)
      await (await cli.api()).price.setMany({ prices: changed.map(({ price }) => price) });
    await shown(
      cli,
      changed.map(({ step }) => step),
    );
    const counts = { changed: changed.length, same: steps.length - changed.length };
    cli.say(cli.t('cli.say.prices_imported', counts));
    if (cli.globals.dryRun) cli.say(cli.t('cli.say.dry_run'));
    return driftOf(exitCode && changed.length > 0);
  },
});

function driftOf(isDrift: boolean): ExitCode {
  return isDrift ? EXIT.checkFailed : EXIT.ok;
}

async function pricesOf(cli: Cli, file: string): Promise<readonly PriceInput[]> {
  const text =
    file === '-' ? withoutLastLineBreak(await cli.io.readStdin()) : cli.values.file('<file>', file);
  const { yamlValue } = await import('../yaml.ts');
  const prices = pricesIn(yamlValue(text));
  if (prices === undefined) throw cli.values.refuse('<file>', 'no_prices');
  return prices;
}

async function pricesNow(cli: Cli): Promise<ReadonlyMap<string, Price>> {
  const api = await cli.api();
  const { items } = await everyPage((page) => api.price.list(page));
  return new Map(items.map((price) => [price.model, price]));
}

/** What only says how output relates to input needs an input price to relate to. */
function hasBase(price: PriceInput, known: Price | undefined): boolean {
  const isComplete = [price.in, price.ratio, price.perCall].some((amount) => amount !== undefined);
  return isComplete || known?.billing === 'per_token';
}

async function shown(cli: Cli, steps: readonly Step[]): Promise<void> {
  const { planDocumentOf, planTextOf } = await import('../site-file/show.ts');
  const isTable = ['table', 'wide'].includes(cli.format());
  cli.io.out(isTable ? planTextOf(steps) : `${JSON.stringify(planDocumentOf(steps), null, 2)}\n`);
}

export const reset = command({
  usage: 'reset',
  examples: ['reset', 'reset --yes', 'reset --dry-run'],
  async run(cli) {
    const loses = cli.t('cli.loses.prices');
    const change = { action: 'delete', noun: 'price', name: 'own', loses } as const;
    const models = await cli.change(change, (api) => api.price.reset({}));
    if (models !== undefined)
      await cli.print({ deleted: models }, { columns: ['deleted'], id: 'deleted' });
  },
});
