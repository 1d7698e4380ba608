/**
 * Imports options and prices. Options already set on this site are kept; maps of prices and groups
 * are merged. A group that the source's accounts, tokens or channels use without a ratio gets ratio
 * 1, as it has there.
 */
import type { Actor } from '../../api/call.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { AUTO_GROUP, DEFAULT_GROUP, groupExists } from '../../domain/groups.ts';
import { importedOptionKey, isMergedOption } from '../../domain/import/options.ts';
import { columnObject, columnText } from '../../domain/import/values.ts';
import { type OptionChange, parseOptions } from '../../domain/options/parse.ts';
import { type OptionKey, type OptionValues, optionRowOf } from '../../domain/options/registry.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { addMappings, highestId, mappedIds } from '../../store/tables/imports-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { changeOptions, loadOptions } from '../options/options.ts';
import type { ImportRun } from './import-run.ts';
import { addBuiltInPrices, modelsServedBySource } from './prices.ts';

const OPERATOR: Actor = { kind: 'operator' };
/** Mapping id that marks the options as imported: they are imported once, all together. */
const IMPORTED = 0;

export async function importOptions(run: ImportRun): Promise<void> {
  const { ctx, options, report } = run;
  const wanted = await readSourceOptions(run);
  report.count('options', 'found', wanted.found);
  if ((await mappedIds(ctx.db, options.name, 'options')).has(IMPORTED)) {
    report.count('options', 'already', wanted.found);
    return;
  }
  if (run.stopped) return;
  if (options.dryRun) {
    countChanges(run, wanted, await acceptedChanges(run, wanted, await loadOptions(ctx)));
    return;
  }
  let accepted: OptionChange[] = [];
  const changesOf = async (ctx: TxContext, current: OptionValues) => {
    accepted = await acceptedChanges(run, wanted, current);
    await addMappings(ctx.db, options.name, 'options', [[IMPORTED, 1]]);
    return accepted;
  };
  await changeOptions(ctx, OPERATOR, changesOf);
  countChanges(run, wanted, accepted);
}

interface SourceOptions {
  readonly found: number;
  /** Keyed by this site's option names. */
  readonly values: ReadonlyMap<OptionKey, string>;
  readonly groups: readonly string[];
  /** Models served by the source's channels. */
  readonly models: readonly string[];
  /** This site has accounts already. */
  readonly hasAccounts: boolean;
}

async function readSourceOptions(run: ImportRun): Promise<SourceOptions> {
  const rows = run.schema.has('options') ? await run.source.allRows('options') : [];
  const values = new Map<OptionKey, string>();
  for (const row of rows) {
    const key = columnText(row.key);
    const here = importedOptionKey(key);
    if (here !== undefined) values.set(here, columnText(row.value));
    else if (columnText(row.value) !== '')
      run.report.note('options', 'option_unknown', { field: key });
  }
  const hasAccounts = (await highestId(run.ctx.db, 'users')) > 0;
  const named = await groupsOf(run);
  // Without a ratio, `auto` is not a real group but selects among several.
  const isReal = Object.hasOwn(columnObject(values.get('GroupRatio')) ?? {}, AUTO_GROUP);
  const groups = named.filter((group) => isReal || group !== AUTO_GROUP);
  // The group that tokens of `auto` use in the source by default.
  if (named.length > groups.length && !values.has('AutoGroups'))
    values.set('AutoGroups', JSON.stringify([DEFAULT_GROUP]));
  return {
    found: rows.length,
    values,
    groups,
    models: await modelsServedBySource(run),
    hasAccounts,
  };
}

/** Groups used by rows of the source. */
async function groupsOf(run: ImportRun): Promise<string[]> {
  const groups = new Set<string>();
  for (const table of ['users', 'tokens', 'channels'])
    if (run.schema.get(table)?.has('group'))
      for (const text of await run.source.valuesOf(table, 'group'))
        for (const group of splitList(text)) groups.add(group);
  return [...groups].filter((group) => /^[^,\p{C}]{1,64}$/u.test(group));
}

/** Changes that are valid with the current options; the rest is reported and skipped. */
async function acceptedChanges(
  run: ImportRun,
  { values, groups, models, hasAccounts }: SourceOptions,
  current: OptionValues,
): Promise<OptionChange[]> {
  const changes = new Map<string, OptionChange>();
  for (const [key, value] of values) {
    const merged = valueFor(run, { key, value, hasAccounts }, current);
    if (merged !== undefined) changes.set(key, { key, value: merged });
  }
  addGroups(run, groups, changes, current);
  addBuiltInPrices(run, changes, { models, saved: values, current });
  for (;;) {
    const refused = rejectedChange([...changes.values()], current);
    if (refused === undefined) return [...changes.values()];
    changes.delete(refused.key);
    run.report.note('options', 'option_invalid', { field: refused.key, example: refused.problem });
  }
}

function valueFor(
  run: ImportRun,
  { key, value, hasAccounts }: { key: OptionKey; value: string; hasAccounts: boolean },
  current: OptionValues,
): string | undefined {
  // A different unit would change the value of existing balances.
  if (key === 'QuotaPerUnit' && hasAccounts && Number(value) !== current.get('QuotaPerUnit')) {
    run.report.note('options', 'quota_unit', { field: key });
    return undefined;
  }
  const own = current.stored().get(key);
  if (own === undefined) return value === '' && optionRowOf(key).secret ? undefined : value;
  const theirs = isMergedOption(key) ? columnObject(value) : undefined;
  if (theirs !== undefined) return JSON.stringify({ ...theirs, ...columnObject(own) });
  if (own !== value) run.report.note('options', 'option_kept', { field: key });
  return undefined;
}

function addGroups(
  run: ImportRun,
  groups: readonly string[],
  changes: Map<string, OptionChange>,
  current: OptionValues,
): void {
  const given = changes.get('GroupRatio')?.value;
  const ratios = { ...(given === undefined ? current.get('GroupRatio') : columnObject(given)) };
  const missing = groups.filter((group) => !groupExists(ratios as Record<string, number>, group));
  if (missing.length === 0) return;
  for (const group of missing) {
    run.report.note('options', 'group_added', { field: 'GroupRatio', example: group });
    ratios[group] = 1;
  }
  changes.set('GroupRatio', { key: 'GroupRatio', value: JSON.stringify(ratios) });
}

function rejectedChange(
  changes: readonly OptionChange[],
  current: OptionValues,
): { readonly key: string; readonly problem: string } | undefined {
  try {
    parseOptions(changes, (key) => current.raw(key));
    return undefined;
  } catch (error) {
    const key = error instanceof AppError ? String(error.params.key ?? '') : '';
    if (!(error instanceof AppError) || !changes.some((change) => change.key === key)) throw error;
    return { key, problem: String(error.params.problem ?? '') };
  }
}

function countChanges(
  run: ImportRun,
  { found }: SourceOptions,
  accepted: readonly OptionChange[],
): void {
  run.report.count('options', 'imported', Math.min(found, accepted.length));
  run.report.count('options', 'lost', Math.max(0, found - accepted.length));
}
