/**
 * Hourly log totals: entries per hour and type, once for the whole site and once each per user,
 * token, model, channel and group. Every entry appears in each scope exactly once, so sums of whole
 * hours never need to read the log itself.
 */
import {
  type NounColumns,
  NUMBER_COLUMN,
  type StoredFields,
  TEXT_COLUMN,
} from '../nouns/columns.ts';
import { addCount, addCounts, bucketOf, type ValueCounts } from './histogram.ts';
import { LOG_TYPE, SPEND_TYPES, spentUnits } from './log-types.ts';

export const HOUR_SEC = 3600;
/** The distance of every zone from UTC is a multiple of it. */
export const QUARTER_SEC = 900;

/** The site last: its row tells that a day is done (`store/logs/old-hours.ts`). */
export const LOG_SCOPES = ['user', 'token', 'model', 'channel', 'group', 'site'] as const;
export type LogScope = (typeof LOG_SCOPES)[number];

/** The columns of a log entry that are counted, beside its cost. */
export const COUNTED_COLUMNS = {
  user_id: NUMBER_COLUMN,
  username: TEXT_COLUMN,
  created_at: NUMBER_COLUMN,
  type: NUMBER_COLUMN,
  token_name: TEXT_COLUMN,
  model_name: TEXT_COLUMN,
  channel_id: NUMBER_COLUMN,
  group: TEXT_COLUMN,
  quota: NUMBER_COLUMN,
  prompt_tokens: NUMBER_COLUMN,
  completion_tokens: NUMBER_COLUMN,
  use_time: NUMBER_COLUMN,
  use_time_ms: NUMBER_COLUMN,
  first_token_ms: NUMBER_COLUMN,
} as const satisfies NounColumns;

export interface CountedEntry extends StoredFields<typeof COUNTED_COLUMNS> {
  /** What the upstream charged for the call, in units; null if it is unknown. */
  readonly cost: number | null;
  /** The beginning of `other`, where the gateway writes the short facts. */
  readonly other_head: string;
}

/** The sums that hours, days and combinations of columns have. */
export const CELL_SUMS = [
  'lines',
  'quota',
  /** The known costs, and the net spend of the calls that have one. */
  'cost',
  'costed_quota',
  'prompt_tokens',
  'completion_tokens',
] as const;
export type CellSums = Record<(typeof CELL_SUMS)[number], number>;

export interface LogHour extends CellSums {
  readonly scope: LogScope;
  /** Id or name of the counted subject; empty for the site. See `tokenSubject`. */
  readonly subject: string;
  /** The hour's first second. */
  readonly hour: number;
  readonly type: number;
  cache_tokens: number;
  /** Histograms of the duration and the time to first token; not kept for tokens and groups. */
  readonly latency: ValueCounts;
  readonly first_token: ValueCounts;
  /** Failed attempts by HTTP status; 0 if there was no response. */
  readonly statuses: ValueCounts;
}

/** The log identifies tokens by name, and names are unique per user only. */
export function tokenSubject(userId: number, tokenName: string): string {
  return `${userId}/${tokenName}`;
}

export function hourOf(second: number): number {
  return second - (second % HOUR_SEC);
}

export function quarterStart(second: number): number {
  return second - (second % QUARTER_SEC);
}

/** Usage per user, model and hour: calls, their tokens and net spend. */
export interface HourlyUsage {
  readonly user_id: number;
  readonly username: string;
  readonly model_name: string;
  /** The hour's first second. */
  readonly created_at: number;
  token_used: number;
  count: number;
  quota: number;
}

/** Accumulates hourly totals from log entries. */
export class LogFigures {
  readonly #cells = new Map<string, LogHour>();
  readonly #usage = new Map<string, HourlyUsage>();
  readonly #startOf: (second: number) => number;

  /** With `quarterStart` a cell is a quarter of an hour, for readers whose hours differ from UTC. */
  constructor(startOf = hourOf) {
    this.#startOf = startOf;
  }

  /** How many cells there are. */
  get size(): number {
    return this.#cells.size;
  }

  add(entries: Iterable<CountedEntry>): this {
    for (const entry of entries) {
      const facts = factsOf(entry);
      const hour = this.#startOf(entry.created_at);
      for (const scope of LOG_SCOPES) {
        const cell = cellOf(this.#cells, {
          scope,
          subject: SUBJECTS[scope](entry),
          hour,
          type: entry.type,
        });
        countEntry(cell, entry, facts);
      }
      if (SPEND_TYPES.some((type) => type === entry.type)) this.#use(entry);
    }
    return this;
  }

  hours(): LogHour[] {
    return [...this.#cells.values()];
  }

  usage(): HourlyUsage[] {
    return [...this.#usage.values()];
  }

  #use({ user_id, username, model_name, ...entry }: CountedEntry): void {
    const hour = this.#startOf(entry.created_at);
    const key = `${user_id} ${hour} ${model_name}`;
    let usage = this.#usage.get(key);
    if (usage === undefined) {
      usage = {
        user_id,
        username,
        model_name,
        created_at: hour,
        token_used: 0,
        count: 0,
        quota: 0,
      };
      this.#usage.set(key, usage);
    }
    usage.token_used += entry.prompt_tokens + entry.completion_tokens;
    usage.count += entry.type === LOG_TYPE.consume ? 1 : 0;
    usage.quota += spentUnits(entry.type, entry.quota);
  }
}

const SUBJECTS: Readonly<Record<LogScope, (entry: CountedEntry) => string>> = {
  site: () => '',
  user: (entry) => String(entry.user_id),
  token: (entry) => tokenSubject(entry.user_id, entry.token_name),
  model: (entry) => entry.model_name,
  channel: (entry) => String(entry.channel_id),
  group: (entry) => entry.group,
};

/** The scopes that have histograms. */
export const TIMED_SCOPES: ReadonlySet<LogScope> = new Set(['site', 'user', 'model', 'channel']);

/** The key that identifies a cell. */
export function cellKey(cell: Pick<LogHour, 'scope' | 'subject' | 'hour' | 'type'>): string {
  return `${cell.scope} ${cell.hour} ${cell.type} ${cell.subject}`;
}

function cellOf(
  cells: Map<string, LogHour>,
  named: Pick<LogHour, 'scope' | 'subject' | 'hour' | 'type'>,
): LogHour {
  const key = cellKey(named);
  const known = cells.get(key);
  if (known !== undefined) return known;
  const cell = emptyHour(named);
  cells.set(key, cell);
  return cell;
}

export function emptyHour(named: Pick<LogHour, 'scope' | 'subject' | 'hour' | 'type'>): LogHour {
  return {
    ...named,
    lines: 0,
    quota: 0,
    cost: 0,
    costed_quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_tokens: 0,
    latency: new Map(),
    first_token: new Map(),
    statuses: new Map(),
  };
}

interface Facts {
  readonly cacheTokens: number;
  readonly status: number;
  readonly latencyBucket: number;
  readonly firstTokenBucket: number | undefined;
}

function factsOf(entry: CountedEntry): Facts {
  // Entries of older systems have whole seconds only.
  const tookMs = entry.use_time_ms === 0 ? entry.use_time * 1000 : entry.use_time_ms;
  return {
    cacheTokens: entry.type === LOG_TYPE.consume ? numberIn(entry.other_head, CACHE_TOKENS) : 0,
    status: entry.type === LOG_TYPE.error ? numberIn(entry.other_head, STATUS_CODE) : 0,
    latencyBucket: bucketOf(tookMs),
    firstTokenBucket: entry.first_token_ms > 0 ? bucketOf(entry.first_token_ms) : undefined,
  };
}

// Quotes inside a JSON string are escaped, so these names cannot match within one.
const CACHE_TOKENS = /"cache_tokens":(\d{1,15})/;
const STATUS_CODE = /"status_code":(\d{1,3})/;

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

function countEntry(cell: LogHour, entry: CountedEntry, facts: Facts): void {
  cell.lines += 1;
  cell.quota += entry.quota;
  if (entry.cost !== null) {
    cell.cost += entry.cost;
    cell.costed_quota += spentUnits(entry.type, entry.quota);
  }
  cell.prompt_tokens += entry.prompt_tokens;
  cell.completion_tokens += entry.completion_tokens;
  cell.cache_tokens += facts.cacheTokens;
  if (!TIMED_SCOPES.has(cell.scope)) return;
  if (entry.type === LOG_TYPE.error) addCount(cell.statuses, facts.status);
  if (entry.type !== LOG_TYPE.consume) return;
  addCount(cell.latency, facts.latencyBucket);
  if (facts.firstTokenBucket !== undefined) addCount(cell.first_token, facts.firstTokenBucket);
}

/** Adds the totals of a cell to another of the same cell, or of one reported together with it. */
export function addHour(sum: LogHour, more: LogHour): void {
  addSums(sum, more);
  sum.cache_tokens += more.cache_tokens;
  addCounts(sum.latency, more.latency);
  addCounts(sum.first_token, more.first_token);
  addCounts(sum.statuses, more.statuses);
}

export function addSums(sum: CellSums, more: CellSums): void {
  for (const name of CELL_SUMS) sum[name] += more[name];
}

/** Classifies a failed attempt by its HTTP status. */
export function errorClass(status: number): ErrorClass {
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate_limit';
  if (status >= 500) return 'upstream';
  return status >= 400 ? 'request' : 'other';
}

export const ERROR_CLASSES = [
  'auth',
  'timeout',
  'rate_limit',
  'upstream',
  'request',
  'other',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];
