/** Looks up budgets, and what a budget is about by name. */
import type { BudgetSubject } from '../../domain/budgets/budget.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import type { FlagsOf } from '../command.ts';
import { findChannel, findToken, findUser, ifId, missing, single } from './find-by-name.ts';
import { allItems } from './paged-lists.ts';

export type FoundBudget = Awaited<ReturnType<LocalApi['budget']['get']>>;

export const SUBJECT_FLAGS = [
  '--token <token>',
  '--user <user>',
  '--group <name>',
  '--channel <channel>',
  '--model <model>',
  '--site',
] as const;

type SubjectFlags = FlagsOf<(typeof SUBJECT_FLAGS)[number]>;

export interface FoundSubject {
  readonly subject: BudgetSubject;
  readonly subject_id: string;
  readonly label: string;
}

/**
 * By id, else by the name of what it is about (`ci`), or with kind and period (`token ci / day`).
 * @throws AppError `budget_missing`, or an error listing the ids.
 */
export async function findBudget(cli: Cli, text: string): Promise<FoundBudget> {
  const api = await cli.api();
  const budget = await ifId(text, (id) => api.budget.get({ id }));
  if (budget !== undefined) return budget;
  const items = await allItems(api.budget.list);
  const named = items.filter((one) => one.subject_name === text || budgetLabel(one) === text);
  const labelOf = (one: FoundBudget) => `${one.id} (${budgetLabel(one)})`;
  return (
    single(cli, '<budget>', text, named, labelOf) ?? missing('budget_missing', { budget: text })
  );
}

/** Budgets have no names: what they are about and their period. */
export function budgetLabel({ subject, subject_name, period }: FoundBudget): string {
  return `${[subject, subject_name].join(' ').trim()} / ${period}`;
}

/** The subject that the flags name. @throws an error unless it is exactly one. */
export async function subjectOf(cli: Cli, flags: SubjectFlags): Promise<FoundSubject> {
  const found = await subjectIn(cli, flags);
  if (found === undefined) throw oneSubject(cli);
  return found;
}

/** The same; undefined if the flags name none. */
export async function subjectIn(cli: Cli, flags: SubjectFlags): Promise<FoundSubject | undefined> {
  const { token, user, group, channel, model, site } = flags;
  const given = [token, user, group, channel, model, site].filter((one) => one !== undefined);
  if (given.length > 1) throw oneSubject(cli);
  if (token !== undefined) return named('token', await findToken(cli, token));
  if (user !== undefined) {
    const { id, username } = await findUser(cli, user);
    return named('user', { id, name: username });
  }
  if (channel !== undefined) return named('channel', await findChannel(cli, channel));
  if (group !== undefined) return named('group', { id: group, name: group });
  if (model !== undefined) return named('model', { id: model, name: model });
  return site ? { subject: 'site', subject_id: '', label: 'site' } : undefined;
}

function oneSubject({ values }: Cli) {
  const names = SUBJECT_FLAGS.map((flag) => flag.split(' ')[0] ?? flag);
  return values.refuse('--token', 'one_of', { names });
}

function named(
  subject: BudgetSubject,
  { id, name }: { readonly id: number | string; readonly name: string },
): FoundSubject {
  return { subject, subject_id: String(id), label: `${subject} ${name}` };
}

interface BudgetKey extends Pick<FoundBudget, 'subject' | 'subject_id' | 'measure' | 'period'> {
  readonly models: readonly string[];
}

/** Budgets that differ from each other in other fields only. */
export async function budgetsLike(api: LocalApi, key: BudgetKey): Promise<FoundBudget[]> {
  const { subject, subject_id } = key;
  const items = await allItems(api.budget.list, {
    subject,
    subject_id: subject_id || undefined,
  });
  return items.filter((one) => budgetKeyText(one) === budgetKeyText(key));
}

export function budgetKeyText({ subject, subject_id, measure, period, models }: BudgetKey): string {
  return JSON.stringify([subject, subject_id, measure, period, [...models].sort()]);
}
