/**
 * Enabled budgets in memory, which the change feed keeps current, and the window of each that runs
 * now. What is left of a window is known here only as of its last read; the database decides.
 */

import type { Knex } from 'knex';
import type { Context } from '../../context.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { boundedMap } from '../../domain/bounded-map.ts';
import {
  BUDGET_STATUS,
  BUDGET_SUBJECTS,
  type Budget,
  type BudgetMeasure,
  type BudgetSubject,
  limitAt,
  type WindowAmount,
} from '../../domain/budgets/budget.ts';
import type { WindowSpan } from '../../domain/budgets/window.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { openBudgetWindow } from '../../store/ledger/open-budget-window.ts';
import { chunksOf } from '../../store/sql/sql-dialect.ts';
import { BUDGETS, budgetOf, readBudgetWindows } from '../../store/tables/budgets-table.ts';

/** Whom a call concerns; undefined where there is none. */
export type CallSubjects = Readonly<Record<Exclude<BudgetSubject, 'site'>, string | undefined>>;

/** A budget that counts a call, and its window that runs now. */
export interface CountedBudget {
  readonly budget: Budget;
  readonly span: WindowSpan;
}

/** What a window has used as of its last read. */
export interface BudgetStanding extends CountedBudget {
  readonly spent: number;
  readonly held: number;
  /** With the amount by which the limit is raised now. */
  readonly limit: number;
  /** The time before the read. */
  readonly atMs: number;
}

export interface Budgets {
  /** No budget is enabled, so nothing counts any call. */
  readonly isEmpty: boolean;
  budget(id: number): Budget | undefined;
  /** The budgets that count a call of this model. */
  of(subjects: CallSubjects, model: string): readonly Budget[];
  /** All budgets of a token and its user. */
  ofOwner(tokenId: number, userId: number): readonly Budget[];
  /** Their windows that run now, which are opened where they are absent. */
  windowsOf(budgets: readonly Budget[]): Awaitable<readonly CountedBudget[]>;
  /** What these windows have used, by the database. */
  standings(counted: readonly CountedBudget[]): Promise<readonly BudgetStanding[]>;
  /** What is known of these windows without a read. */
  lastStandings(windows: readonly WindowAmount[]): readonly BudgetStanding[];
  /** The same as of a read that is at most a second old. */
  recentStandings(counted: readonly CountedBudget[]): Awaitable<readonly BudgetStanding[]>;
  /** Runs after the work that was given before it for any of these windows. */
  inTurn<T>(counted: readonly CountedBudget[], work: () => Promise<T>): Promise<T>;
  load(): Promise<void>;
}

const NO_BUDGETS: readonly Budget[] = [];
const MAX_WINDOWS = 100_000;
const BATCH_IDS = 500;
const RECENT_MS = 1_000;

export class BudgetCache implements Budgets {
  readonly #ctx: Context;
  readonly #byId = new Map<number, Budget>();
  readonly #index = new BudgetIndex();
  readonly #spans = boundedMap<number, WindowSpan>(MAX_WINDOWS);
  readonly #opening = new Map<number, Promise<WindowSpan | undefined>>();
  readonly #recent = boundedMap<number, BudgetStanding>(MAX_WINDOWS);
  readonly #reading = new Map<string, Promise<readonly BudgetStanding[]>>();
  readonly #turns = new Map<number, Promise<void>>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
    ctx.changes.on('budgets', (ids) => this.#read(ids));
  }

  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  budget(id: number): Budget | undefined {
    return this.#byId.get(id);
  }

  of(subjects: CallSubjects, model: string): readonly Budget[] {
    return this.isEmpty ? NO_BUDGETS : this.#index.find(subjects, model);
  }

  ofOwner(tokenId: number, userId: number): readonly Budget[] {
    return [
      ...this.#index.list('token', String(tokenId)),
      ...this.#index.list('user', String(userId)),
    ];
  }

  windowsOf(budgets: readonly Budget[]): Awaitable<readonly CountedBudget[]> {
    const known = budgets.flatMap((budget) => this.#running(budget) ?? []);
    return known.length === budgets.length ? known : this.#opened(budgets);
  }

  async standings(counted: readonly CountedBudget[]): Promise<readonly BudgetStanding[]> {
    const atMs = this.#ctx.now();
    const standings = await readStandings(this.#ctx.reads, counted, atMs);
    for (const standing of standings) {
      const { budget } = standing;
      // A read that began before a change of the budget must not be kept after it.
      if (this.#byId.get(budget.id) === budget) this.#recent.set(budget.id, standing);
    }
    return standings;
  }

  recentStandings(counted: readonly CountedBudget[]): Awaitable<readonly BudgetStanding[]> {
    const nowMs = this.#ctx.now();
    const known = counted.flatMap(({ budget, span }) => {
      const last = this.#recent.get(budget.id);
      const isOld = last === undefined || nowMs - last.atMs >= RECENT_MS;
      return isOld || last.span.startsAtSec !== span.startsAtSec ? [] : last;
    });
    if (known.length === counted.length) return known;
    // Calls that find it old at the same time share one read.
    const name = counted.map(({ budget, span }) => `${budget.id}:${span.startsAtSec}`).join();
    const reading =
      this.#reading.get(name) ?? this.standings(counted).finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }

  lastStandings(windows: readonly WindowAmount[]): readonly BudgetStanding[] {
    return windows.flatMap(({ budgetId, startsAtSec }) => {
      const standing = this.#recent.get(budgetId);
      return standing?.span.startsAtSec === startsAtSec ? standing : [];
    });
  }

  inTurn<T>(counted: readonly CountedBudget[], work: () => Promise<T>): Promise<T> {
    // In one order, so that two calls cannot wait for each other.
    const ids = counted.map(({ budget }) => budget.id).sort((a, b) => b - a);
    let next = work;
    for (const id of ids) {
      const inner = next;
      next = () => afterLast(this.#turns, id, inner);
    }
    return next();
  }

  load(): Promise<void> {
    return this.#read('all');
  }

  async #read(ids: readonly number[] | 'all'): Promise<void> {
    const found = await readEnabled(this.#ctx, ids);
    for (const id of ids === 'all' ? [...this.#byId.keys()] : ids) {
      this.#index.remove(this.#byId.get(id));
      this.#byId.delete(id);
      this.#spans.delete(id);
      this.#recent.delete(id);
      this.#opening.delete(id);
    }
    for (const budget of found) {
      this.#byId.set(budget.id, budget);
      this.#index.add(budget);
    }
  }

  #running(budget: Budget): CountedBudget | undefined {
    const span = this.#spans.get(budget.id);
    if (span === undefined || this.#ctx.now() / 1000 >= span.endsAtSec) return undefined;
    return { budget, span };
  }

  async #opened(budgets: readonly Budget[]): Promise<readonly CountedBudget[]> {
    const counted: CountedBudget[] = [];
    for (const budget of budgets) {
      const span = this.#running(budget)?.span ?? (await this.#open(budget));
      if (span !== undefined) counted.push({ budget, span });
    }
    return counted;
  }

  /** Calls of one process share the transaction that opens a window. */
  #open({ id }: Budget): Promise<WindowSpan | undefined> {
    const running = this.#opening.get(id);
    if (running !== undefined) return running;
    const begun = inTransaction(this.#ctx, ({ db }) => openBudgetWindow(db, id)).then((span) => {
      // A window that was opened before a change must not be kept after it.
      if (span !== undefined && this.#opening.get(id) === begun) this.#spans.set(id, span);
      return span;
    });
    const end = (): void => {
      if (this.#opening.get(id) === begun) this.#opening.delete(id);
    };
    this.#opening.set(id, begun);
    begun.then(end, end);
    return begun;
  }
}

/** What windows have used, by the database. */
export async function readStandings(
  reads: Knex,
  counted: readonly CountedBudget[],
  atMs: number,
): Promise<readonly BudgetStanding[]> {
  const keys = counted.map(({ budget, span }) => [budget.id, span.startsAtSec] as const);
  const rows = await readBudgetWindows(reads, keys);
  return counted.map((one) => {
    const row = rows.find(({ budgetId }) => budgetId === one.budget.id);
    const limit = limitAt(one.budget, Math.floor(atMs / 1000));
    return { ...one, spent: row?.spent ?? 0, held: row?.held ?? 0, limit, atMs };
  });
}

function afterLast<T>(
  turns: Map<number, Promise<void>>,
  id: number,
  work: () => Promise<T>,
): Promise<T> {
  const turn = (turns.get(id) ?? Promise.resolve()).then(work);
  const ended = turn.then(
    () => undefined,
    () => undefined,
  );
  turns.set(id, ended);
  void ended.then(() => {
    if (turns.get(id) === ended) turns.delete(id);
  });
  return turn;
}

async function readEnabled(
  { reads }: Context,
  ids: readonly number[] | 'all',
): Promise<readonly Budget[]> {
  const enabled = () => reads('budgets').where({ status: BUDGET_STATUS.enabled });
  if (ids === 'all') return (await BUDGETS.all(enabled())).map(budgetOf);
  const found: Budget[] = [];
  for (const part of chunksOf(ids, BATCH_IDS))
    found.push(...(await BUDGETS.all(enabled().whereIn('id', part))).map(budgetOf));
  return found;
}

/** Budgets by subject and its id. */
class BudgetIndex {
  readonly #lists = new Map<BudgetSubject, Map<string, readonly Budget[]>>();

  add(budget: Budget): void {
    const lists = this.#lists.get(budget.subject) ?? new Map<string, readonly Budget[]>();
    this.#lists.set(budget.subject, lists);
    lists.set(budget.subjectId, [...(lists.get(budget.subjectId) ?? []), budget]);
  }

  remove(budget: Budget | undefined): void {
    if (budget === undefined) return;
    const lists = this.#lists.get(budget.subject);
    const left = (lists?.get(budget.subjectId) ?? []).filter(({ id }) => id !== budget.id);
    if (left.length > 0) lists?.set(budget.subjectId, left);
    else lists?.delete(budget.subjectId);
    if (lists?.size === 0) this.#lists.delete(budget.subject);
  }

  list(subject: BudgetSubject, id: string): readonly Budget[] {
    return this.#lists.get(subject)?.get(id) ?? NO_BUDGETS;
  }

  find(subjects: CallSubjects, model: string): readonly Budget[] {
    let found = NO_BUDGETS;
    for (const subject of BUDGET_SUBJECTS) {
      const id = subject === 'site' ? '' : subjects[subject];
      const list = id === undefined ? undefined : this.#lists.get(subject)?.get(id);
      const counting = list?.filter((budget) => counts(budget, model));
      if (counting !== undefined && counting.length > 0) found = [...found, ...counting];
    }
    return found;
  }
}

/** The model that answers instead of a refusal is not counted by the budget that names it. */
function counts({ models, onFull, downgradeModel }: Budget, model: string): boolean {
  if (onFull === 'downgrade' && downgradeModel === model) return false;
  return models.length === 0 || models.includes(model);
}

/** The least that is left of the windows of a measure; `Infinity` if none limits it. */
export function leftIn(standings: readonly BudgetStanding[], measure: BudgetMeasure): number {
  return standings.reduce(
    (least, { budget, limit, spent, held }) =>
      budget.measure === measure && !budget.shadow ? Math.min(least, limit - spent - held) : least,
    Number.POSITIVE_INFINITY,
  );
}
