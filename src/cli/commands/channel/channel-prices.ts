/** Prices that an upstream publishes with its model list, for models that have none here. */
import { splitList } from '../../../domain/text/comma-list.ts';
import type { Cli } from '../../cli.ts';
import { findChannel } from '../../lookup/find-by-name.ts';
import type { FieldFlags } from './channel-fields.ts';

const MOST_NAMED = 10;

/**
 * Takes the published prices over with `--with-prices`; without it, names the models that have one.
 * Then names the models of the channel that still have no price.
 */
export async function offerPrices(
  cli: Cli,
  channel: string,
  { fetchModels = false, withPrices = false }: FieldFlags,
): Promise<void> {
  const api = await cli.api();
  const { id, name, models } = await findChannel(cli, channel);
  if (fetchModels || withPrices) {
    const { source, items } = await api.channelModel.prices({ id });
    const named = items.slice(0, MOST_NAMED).map(({ model }) => model);
    const facts = { count: items.length, models: named, source, channel: name };
    if (items.length > 0 && withPrices) {
      await api.priceSource.apply({ source, prices: items });
      cli.note(cli.t('cli.notes.prices_taken', facts));
    } else if (items.length > 0) cli.note(cli.t('cli.notes.prices_published', facts));
    else if (withPrices) cli.note(cli.t('cli.notes.no_published_prices', facts));
  }
  const own = new Set(splitList(models));
  const unpriced = (await api.price.unpriced({})).filter((model) => own.has(model));
  if (unpriced.length > 0)
    cli.note(cli.t('cli.notes.unpriced', { models: unpriced.slice(0, MOST_NAMED) }));
}
