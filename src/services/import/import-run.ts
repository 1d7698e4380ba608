/**
 * State of one import run: the source's schema, the rows imported already, and the report. A dry
 * run takes the same path but skips every write.
 */
import type { Context } from '../../context.ts';
import type { SourceFamily, SourceSchema } from '../../domain/import/family.ts';
import type { ImportedIds } from '../../domain/import/history.ts';
import type { ImportedResource, ImportReport, NoteCode } from '../../domain/import/report.ts';
import { columnText, intIn, type SourceRow } from '../../domain/import/values.ts';
import type { ForeignDatabase, SinceFilter } from '../../store/backup/import-source.ts';
import {
  advanceIdSequence,
  existingValues,
  highestId,
  mappedIds,
} from '../../store/tables/imports-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';

export interface ImportProgress {
  tick(rows: number): void;
  end(): void;
}

export interface ImportOptions {
  /** Name of the import: a second run with the same name continues where the first ended. */
  readonly name: string;
  readonly dryRun: boolean;
  readonly logs: boolean;
  /** Credits what is left of paid plans as balance. */
  readonly subscriptions: boolean;
  /** Quota units granted to each account of a source that has no balances. */
  readonly balance: number;
  /** Which price wins where only the source's program has a price built in. */
  readonly prices: 'theirs' | 'ours';
  /** Imports log entries from this time on, in epoch seconds. */
  readonly sinceSec: number;
  readonly signal: AbortSignal;
  onStep(resource: ImportedResource, total: number): ImportProgress;
}

/** Values of one column that are in use here or were assigned by this run. */
export interface UsedValues {
  has(value: string): boolean;
  add(value: string): void;
}

export type MappedKind = 'users' | 'tokens' | 'channels' | 'redemptions';

/** A source without numbers as ids has names. */
function nameOf(row: SourceRow): string {
  return columnText(row.source_name ?? row.id);
}

/** Rows read at a time and written in one transaction. */
const BATCH_ROWS = 500;

export class ImportRun implements ImportedIds {
  readonly ctx: Context;
  readonly source: ForeignDatabase;
  readonly schema: SourceSchema;
  readonly family: SourceFamily;
  readonly options: ImportOptions;
  readonly report: ImportReport;
  readonly #maps = new Map<MappedKind, Map<number, number>>();
  readonly #given = new Map<string, Set<string>>();
  readonly #nextIds = new Map<string, number>();

  constructor(
    parts: Pick<ImportRun, 'ctx' | 'source' | 'schema' | 'family' | 'options' | 'report'>,
  ) {
    this.ctx = parts.ctx;
    this.source = parts.source;
    this.schema = parts.schema;
    this.family = parts.family;
    this.options = parts.options;
    this.report = parts.report;
  }

  get stopped(): boolean {
    return this.options.signal.aborted;
  }

  /** Source ids of imported rows to ids here, read once per kind. */
  async mapOf(kind: MappedKind): Promise<Map<number, number>> {
    const known = this.#maps.get(kind);
    if (known !== undefined) return known;
    const map = await mappedIds(this.ctx.reads, this.options.name, kind);
    this.#maps.set(kind, map);
    return map;
  }

  user(sourceId: unknown): number {
    return this.#maps.get('users')?.get(intIn(sourceId)) ?? 0;
  }
  token(sourceId: unknown): number {
    return this.#maps.get('tokens')?.get(intIn(sourceId)) ?? 0;
  }
  channel(sourceId: unknown): number {
    return this.#maps.get('channels')?.get(intIn(sourceId)) ?? 0;
  }
  redemption(sourceId: unknown): number {
    return this.#maps.get('redemptions')?.get(intIn(sourceId)) ?? 0;
  }

  skip(resource: ImportedResource, code: NoteCode, row: SourceRow): void {
    this.report.count(resource, 'lost');
    this.report.note(resource, code, { example: nameOf(row) });
  }

  /** Returns a function that reports changed columns of one row. */
  changeReporter(
    resource: ImportedResource,
    row: SourceRow,
  ): (code: NoteCode, field: string) => void {
    return (code, field) => this.report.note(resource, code, { field, example: nameOf(row) });
  }

  /** Which of the values are in use in a column of this site. */
  async usedValues(
    table: string,
    column: string,
    values: readonly (string | number)[],
  ): Promise<UsedValues> {
    const wanted = values.filter((value) => value !== '');
    const here = new Set(await existingValues(this.ctx.db, table, column, wanted));
    const key = `${table}.${column}`;
    const given = this.#given.get(key) ?? new Set<string>();
    this.#given.set(key, given);
    return {
      has: (value) => here.has(value) || given.has(value),
      add: (value) => void given.add(value),
    };
  }

  /** Keeps an id if it is free, else assigns one that is unused on both sides. */
  async idsFor(
    table: MappedKind,
    rows: readonly SourceRow[],
  ): Promise<(sourceId: number) => number> {
    const ids = rows.map((row) => intIn(row.id));
    const taken = await this.usedValues(table, 'id', ids);
    const { source, ctx } = this;
    const next =
      this.#nextIds.get(table) ??
      Math.max(await source.highestId(table), await highestId(ctx.db, table)) + 1;
    this.#nextIds.set(table, next);
    return (sourceId) => {
      if (sourceId > 0 && !taken.has(String(sourceId))) {
        taken.add(String(sourceId));
        return sourceId;
      }
      const id = this.#nextIds.get(table) ?? next;
      this.#nextIds.set(table, id + 1);
      if (sourceId > 0)
        this.report.note(table, 'id_changed', { field: 'id', example: `${sourceId} -> ${id}` });
      return id;
    };
  }

  /** Runs one transaction; skipped in a dry run. Updates the database's id sequence. */
  async write(table: string, work: (ctx: TxContext) => Promise<void>): Promise<void> {
    if (this.options.dryRun) return;
    await writing(this.ctx, async (ctx) => {
      await work(ctx);
      await advanceIdSequence(ctx.db, table);
    });
  }

  /** Passes the rows of a table to `work` in batches, without those already imported. */
  async forEachBatch(kind: MappedKind, work: (rows: SourceRow[]) => Promise<void>): Promise<void> {
    const map = await this.mapOf(kind);
    await this.#read(kind, kind, { from: 0 }, async (rows) => {
      const fresh = rows.filter((row) => !map.has(intIn(row.id)));
      this.report.count(kind, 'already', rows.length - fresh.length);
      if (fresh.length > 0) await work(fresh);
    });
  }

  /** Number of history rows that earlier runs have processed. */
  countUpTo(resource: ImportedResource, id: number): Promise<number> {
    return this.source.countUpTo(resource, id);
  }

  /**
   * Passes the rows of a history from `from` (an id) on to `work`, with the last id of each batch.
   */
  history(
    resource: ImportedResource,
    options: { readonly from: number; readonly since?: SinceFilter },
    work: (rows: SourceRow[], lastId: number) => Promise<void>,
  ): Promise<void> {
    return this.#read(resource, resource, options, work);
  }

  async #read(
    resource: ImportedResource,
    table: string,
    { from, since }: { readonly from: number; readonly since?: SinceFilter },
    work: (rows: SourceRow[], lastId: number) => Promise<void>,
  ): Promise<void> {
    if (!this.schema.has(table) || this.stopped) return;
    const total = await this.source.count(table, since);
    this.report.count(resource, 'found', total);
    const steps = this.options.onStep(resource, total);
    let last = from;
    try {
      while (!this.stopped) {
        const rows = await this.source.rowsAfter(table, last, BATCH_ROWS, since);
        if (rows.length === 0) break;
        last = intIn(rows.at(-1)?.id);
        await work(rows, last);
        steps.tick(rows.length);
      }
    } finally {
      steps.end();
    }
  }
}
