/** Plans and exports the budgets of a document, which name what they limit. */
import { BUDGET_STATUS } from '../../domain/budgets/budget.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { gathered } from '../../domain/errors/input-problems.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { budgetKeyText, budgetsLike, type FoundBudget } from '../lookup/budgets.ts';
import { channelsNamed, single, tokensNamed, userNamed } from '../lookup/find-by-name.ts';
import { allItems } from '../lookup/paged-lists.ts';
import type { SiteBudget, SiteFile, SiteFileGiven } from './document.ts';
import { type Step, stepOf } from './step.ts';

export function budgetSteps(cli: Cli, api: LocalApi, file: SiteFile): Promise<Step[]> {
  const { budgets = [] } = file;
  return gathered(
    budgets.map((entry, index) => budgetStep(cli, api, file, entry, `budgets.${index}`)),
  );
}

async function budgetStep(
  cli: Cli,
  api: LocalApi,
  file: SiteFile,
  entry: SiteBudget,
  location: string,
): Promise<Step> {
  const { subject, name, status, ...fields } = entry;
  const seek = (api: LocalApi) => subjectIdOf(cli, api, entry, location);
  const subject_id = await seek(api);
  if (subject_id === undefined && !isInDocument(file, entry)) throw missing(entry, location);
  const key = { measure: 'units', models: [], ...fields, subject } as const;
  const alike = subject_id === undefined ? [] : await budgetsLike(api, { ...key, subject_id });
  const before = single(cli, location, entryName(entry), alike);
  const line = { noun: 'budget', name: entryName(entry) };
  const sent = { ...fields, ...(status && { status: BUDGET_STATUS[status] }) };
  if (before === undefined)
    return stepOf(line, undefined, { ...fields, status }, async (api) => {
      const id = subject_id ?? (await seek(api));
      if (id === undefined) throw missing(entry, location);
      return api.budget.create({ ...sent, subject, subject_id: id });
    });
  const { measure: _, ...edited } = sent;
  return stepOf(line, { ...before, status: statusOf(before) }, { ...fields, status }, (api) =>
    api.budget.edit({ ...edited, id: before.id }),
  );
}

/** Undefined for a token, user or channel that does not exist. */
async function subjectIdOf(
  cli: Cli,
  api: LocalApi,
  { subject, name }: SiteBudget,
  location: string,
): Promise<string | undefined> {
  if (subject === 'user') return idText(await userNamed(api, name));
  if (subject === 'channel')
    return idText(single(cli, location, name, await channelsNamed(api, name)));
  if (subject !== 'token') return name;
  const { username, token } = ownedToken(name);
  const owner = await userNamed(api, username);
  const named = owner === undefined ? [] : await tokensNamed(api, token, { user: owner.id });
  return idText(single(cli, location, name, named));
}

function idText(found: { readonly id: number } | undefined): string | undefined {
  return found && String(found.id);
}

/** `alice/ci`; a name of a token may contain the slash. */
function ownedToken(name: string): { readonly username: string; readonly token: string } {
  const at = name.indexOf('/');
  return { username: name.slice(0, Math.max(0, at)), token: name.slice(at + 1) };
}

function isInDocument(file: SiteFile, { subject, name }: SiteBudget): boolean {
  if (subject === 'user') return (file.users ?? []).some(({ username }) => username === name);
  if (subject === 'channel') return (file.channels ?? []).some((channel) => channel.name === name);
  return (file.tokens ?? []).some((token) => `${token.user}/${token.name}` === name);
}

function missing({ subject, name }: SiteBudget, location: string): AppError {
  const param = { param: `${location}.name` };
  if (subject === 'user') return new AppError('user_missing', { user: name }, param);
  if (subject === 'channel') return new AppError('channel_missing', { channel: name }, param);
  return new AppError('token_missing_row', { token: name }, param);
}

/** What tells the entries of a document apart. */
export function entryKey(entry: SiteBudget): string {
  const { subject, name, measure = 'units', period, models = [] } = entry;
  return budgetKeyText({ subject, subject_id: name, measure, period, models });
}

function entryName({ subject, name, period }: SiteBudget): string {
  return `${subject} ${name}`.trim().concat(` / ${period}`);
}

/** Budgets that several entries of a document could mean are left out and reported. */
export async function siteBudgets(
  cli: Cli,
  api: LocalApi,
): Promise<NonNullable<SiteFileGiven['budgets']>> {
  const items = await allItems(api.budget.list);
  const entries = items.map(entryOf);
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const key = entryKey(entry);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isClear = (entry: SiteBudget) => counts.get(entryKey(entry)) === 1;
  const names = new Set(entries.filter((entry) => !isClear(entry)).map(entryName));
  if (names.size > 0) cli.note(cli.t('cli.notes.left_out', { names: [...names] }));
  return entries.filter(isClear);
}

function entryOf(budget: FoundBudget): SiteBudget {
  const { subject, subject_name, username, on_full, downgrade_model } = budget;
  return {
    subject,
    name: subject === 'token' ? `${username}/${subject_name}` : subject_name,
    measure: budget.measure,
    models: [...budget.models],
    period: budget.period,
    anchor: budget.anchor,
    time_zone: budget.time_zone,
    limit_amount: budget.limit_amount,
    warn_at: budget.warn_at,
    ...(budget.notify_at.length > 0 && { notify_at: [...budget.notify_at] }),
    on_full,
    ...(on_full === 'downgrade' && { downgrade_model }),
    shadow: budget.shadow,
    status: statusOf(budget),
  };
}

function statusOf({ status }: FoundBudget): 'enabled' | 'disabled' {
  return status === BUDGET_STATUS.disabled ? 'disabled' : 'enabled';
}
