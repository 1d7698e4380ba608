/** Plans the options, groups and prices of a document. */
import { priceFieldsOf, roundedPrice } from '../../domain/pricing/price-fields.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { allPages } from '../lookup/paged-lists.ts';
import type { PlanLine } from '../output/dry-run-plan.ts';
import type { GroupEntry, SiteFile, SitePrice } from './document.ts';
import { secretFrom } from './secrets.ts';
import { canonicalJson, HIDDEN_VALUE, type Step, stepOf } from './step.ts';

interface OptionChange {
  readonly line: PlanLine;
  readonly key: string;
  readonly value: NonNullable<SiteFile['options']>[string];
}

/** Written in one call, because options may depend on each other. */
export async function optionSteps(
  cli: Cli,
  api: LocalApi,
  { options = {}, optionsFrom = {} }: SiteFile,
  rewritesSecrets: boolean,
): Promise<Step[]> {
  const plain = await Promise.all(
    Object.entries(options).map(([key, value]) => optionChange(cli, api, key, value)),
  );
  const secret = await Promise.all(
    Object.entries(optionsFrom).map(([key, from]) => {
      const value = secretFrom(cli, from, `optionsFrom.${key}`);
      return secretChange(cli, api, key, value, rewritesSecrets);
    }),
  );
  const changes = [...plain, ...secret];
  if (changes.length === 0) return [];
  const wanted = changes
    .filter(({ line }) => line.action !== 'same')
    .map(({ key, value }) => ({ key, value }));
  return [
    {
      lines: changes.map(({ line }) => line),
      run: (api) => api.option.setMany({ options: wanted }),
    },
  ];
}

/** @throws AppError `argument_invalid` for a secret contained in the document itself. */
async function optionChange(
  cli: Cli,
  api: LocalApi,
  key: string,
  value: OptionChange['value'],
): Promise<OptionChange> {
  const now = await api.option.get({ key });
  if (now.secret) throw cli.values.refuse(`options.${key}`, 'secret_option');
  const isSame = canonicalJson(readable(now.value)) === canonicalJson(readable(value));
  const changes = isSame ? [] : [{ field: 'value', from: now.value, to: value }];
  const action = isSame ? 'same' : 'update';
  return { line: { action, noun: 'option', name: key, changes }, key, value };
}

/** Options are stored as text; a document may contain the typed value. */
function readable(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A secret cannot be read back, so one that is set counts as unchanged. */
async function secretChange(
  cli: Cli,
  api: LocalApi,
  key: string,
  value: string,
  rewrites: boolean,
): Promise<OptionChange> {
  const now = await api.option.get({ key });
  if (!now.secret) return optionChange(cli, api, key, value);
  const isSame = now.is_set && !rewrites;
  const changes = isSame ? [] : [{ field: 'value', from: undefined, to: HIDDEN_VALUE }];
  return {
    line: { action: isSame ? 'same' : 'update', noun: 'option', name: key, changes },
    key,
    value,
  };
}

export async function groupSteps(api: LocalApi, entries: readonly GroupEntry[]): Promise<Step[]> {
  const { items } = await allPages((page) => api.group.list(page));
  const known = new Map(items.map((group) => [group.name, group]));
  return entries.map((entry) => {
    const { name, ...fields } = entry;
    return stepOf({ noun: 'group', name }, known.get(name), fields, (api) => api.group.set(entry));
  });
}

export async function priceSteps(api: LocalApi, entries: readonly SitePrice[]): Promise<Step[]> {
  return Promise.all(
    entries.map(async (entry) => priceStep(entry, await api.price.get({ model: entry.model }))),
  );
}

export type PriceReply = Awaited<ReturnType<LocalApi['price']['get']>>;

/** @param price the model's current price; absent if it has none. */
function priceStep(entry: SitePrice, price: PriceReply | undefined): Step {
  const { model, ...fields } = entry;
  const wanted = Object.fromEntries(
    Object.entries(fields).map(([name, amount]) => [
      name,
      typeof amount === 'number' ? roundedPrice(amount) : amount,
    ]),
  );
  const run: Step['run'] = (api) => api.price.set(entry);
  const amounts = price && priceFieldsOf(price);
  const known = amounts && { ...amounts, rates: price.rates, variants: price.variants };
  return stepOf({ noun: 'price', name: model }, known, wanted, run);
}
