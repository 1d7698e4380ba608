/** Plans the options, groups and prices of a document. */
import { AppError } from '../../domain/errors/errors.ts';
import { checkAll, gathered, joinedProblems } from '../../domain/errors/input-problems.ts';
import { priceFieldsOf, roundedPrice } from '../../domain/pricing/price-fields.ts';
import { parseJson } from '../../json/read-json.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { allItems } from '../lookup/paged-lists.ts';
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
  const secrets: { readonly key: string; readonly value: string }[] = [];
  const plain = Object.entries(options).map(([key, value]) => ({ key, value }));
  await checkAll(
    ...Object.entries(optionsFrom).map(
      ([key, from]) =>
        () =>
          void secrets.push({ key, value: secretFrom(cli, from, `optionsFrom.${key}`) }),
    ),
    () => requireValid(api, [...plain, ...secrets], options),
  );
  const changes = await gathered([
    ...Object.entries(options).map(([key, value]) =>
      located(`options.${key}`, () => optionChange(cli, api, key, value)),
    ),
    ...secrets.map(({ key, value }) =>
      located(`optionsFrom.${key}`, () => secretChange(cli, api, key, value, rewritesSecrets)),
    ),
  ]);
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

/** The values as the site would check them; of a secret it is only known whether it is set. */
async function requireValid(
  api: LocalApi,
  changes: readonly Pick<OptionChange, 'key' | 'value'>[],
  options: object,
): Promise<void> {
  if (changes.length === 0) return;
  const known = await api.option.list({ secrets: true });
  const current = new Map(
    known.map(({ key, value, is_set }) => [key, is_set ? HIDDEN_VALUE : value]),
  );
  const { parseOptions } = await import('../../domain/options/parse.ts');
  const sectionOf = (key: unknown) => (String(key) in options ? 'options' : 'optionsFrom');
  await located(
    ({ params: { key } }) => `${sectionOf(key)}.${key}`,
    async () => parseOptions(changes, (key) => current.get(key) ?? ''),
  );
}

/** Gives every problem without a place in the document the one of its entry. */
async function located<T>(
  place: string | ((problem: AppError) => string),
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [first = error, ...more] = error.problems.map((problem) => {
      const { code, params, cause } = problem;
      if (problem.param?.startsWith('option')) return problem;
      const param = typeof place === 'string' ? place : place(problem);
      return new AppError(code, params, { param, cause });
    });
    throw joinedProblems(first, more);
  }
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
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
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
  const items = await allItems(api.group.list);
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
