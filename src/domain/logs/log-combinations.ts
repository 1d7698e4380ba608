/**
 * Daily log totals grouped by several columns at once. Cells multiply with the columns, so there
 * are only a few kinds of groupings, and a query uses the smallest one that contains all its
 * columns.
 */
import { addSums, type CellSums } from './log-hours.ts';

export type CombinedColumn = 'user_id' | 'token_name' | 'model_name' | 'channel_id' | 'group';

/** Smallest groupings first; the last contains all columns and is the source of the others. */
export const COMBINATIONS = {
  route: ['model_name', 'channel_id', 'group'],
  token_channel: ['user_id', 'token_name', 'channel_id', 'group'],
  token_model: ['user_id', 'token_name', 'model_name', 'group'],
  all: ['user_id', 'token_name', 'model_name', 'channel_id', 'group'],
} as const satisfies Readonly<Record<string, readonly CombinedColumn[]>>;

export type Combination = keyof typeof COMBINATIONS;
export const COMBINATION_KINDS = Object.keys(COMBINATIONS) as Combination[]; // its own keys

/** Columns outside its grouping are 0 or ''. */
export interface CombinedCell extends CellSums {
  readonly user_id: number;
  readonly token_name: string;
  readonly model_name: string;
  readonly channel_id: number;
  readonly group: string;
  readonly type: number;
}

export function smallestCombinationWith(columns: readonly CombinedColumn[]): Combination {
  const knows = (kind: Combination) => {
    const known: readonly CombinedColumn[] = COMBINATIONS[kind];
    return columns.every((column) => known.includes(column));
  };
  return COMBINATION_KINDS.find(knows) ?? 'all';
}

type Cells = Map<string, CombinedCell>;

/** Accumulates the cells of one day; each log entry is counted once in every kind. */
export class DayCombinations {
  /** Split by user: a single map of a whole day would block the event loop each time it grows. */
  readonly #kinds = COMBINATION_KINDS.map((kind) => ({ kind, users: new Map<number, Cells>() }));
  #lines = 0;

  /** The number of log entries in each kind. */
  get lines(): number {
    return this.#lines;
  }

  add(cell: CombinedCell): void {
    this.#lines += cell.lines;
    for (const { kind, users } of this.#kinds) {
      const part = reduced(cell, COMBINATIONS[kind]);
      const cells = users.get(part.user_id) ?? new Map();
      users.set(part.user_id, cells);
      const key = keyOf(part);
      const known = cells.get(key);
      if (known === undefined) cells.set(key, part);
      else addSums(known, cell);
    }
  }

  /** Yields the cells of every kind, in batches of limited size, one kind at a time. */
  *parts(most: number): Generator<readonly [kind: Combination, cells: CombinedCell[]]> {
    for (const { kind, users } of this.#kinds) {
      let part: CombinedCell[] = [];
      for (const cells of users.values())
        for (const cell of cells.values()) {
          part.push(cell);
          if (part.length < most) continue;
          yield [kind, part];
          part = [];
        }
      if (part.length > 0) yield [kind, part];
    }
  }
}

function reduced(cell: CombinedCell, columns: readonly CombinedColumn[]): CombinedCell {
  return {
    ...cell,
    user_id: columns.includes('user_id') ? cell.user_id : 0,
    token_name: columns.includes('token_name') ? cell.token_name : '',
    model_name: columns.includes('model_name') ? cell.model_name : '',
    channel_id: columns.includes('channel_id') ? cell.channel_id : 0,
    group: columns.includes('group') ? cell.group : '',
  };
}

/** A cell's key within its user. Names may contain any character, so their lengths delimit them. */
function keyOf({ token_name, model_name, channel_id, group, type }: CombinedCell): string {
  const lengths = `${token_name.length} ${model_name.length}`;
  return `${channel_id} ${type} ${lengths} ${token_name}${model_name}${group}`;
}
