/** The models of the list, filtered and sorted. */

import {
  type ModelEndpoint,
  modelEndpointOf,
} from '../../../../src/domain/channels/model-endpoints.ts';
import { vendorOf } from '../../../../src/domain/channels/model-vendors.ts';
import { DEFAULT_GROUP } from '../../../../src/domain/groups.ts';
import { type Rates, ratesOf } from '../../lib/pricing/model-rates.ts';
import type { PriceEntry, PriceList } from '../../lib/pricing/price-list.ts';

export interface ModelRow {
  readonly entry: PriceEntry;
  /** `OTHER` if the name does not reveal it. */
  readonly vendor: string;
  readonly endpoint: ModelEndpoint;
  /** Whether the chosen group has it, at a price. */
  readonly isUsable: boolean;
  /** At the chosen group's ratio; undefined if the model has no price. */
  readonly rates: Rates | undefined;
}

/** A value in the URL may not be empty. */
export const OTHER_VENDOR = 'other';

export type BillingFilter = '' | 'tokens' | 'call';

export interface PriceFilter {
  readonly q: string;
  readonly vendor: readonly string[];
  readonly billing: BillingFilter;
  readonly endpoint: readonly string[];
  readonly usable: boolean;
}

/** The requested group if the user has it, else the user's own, else any. */
export function groupFor(list: PriceList, requested: string, own: string | undefined): string {
  const names = Object.keys(list.group_ratio);
  const wanted = [requested, own ?? DEFAULT_GROUP, DEFAULT_GROUP];
  return wanted.find((name) => names.includes(name)) ?? names[0] ?? DEFAULT_GROUP;
}

export function modelRows(list: PriceList, group: string): ModelRow[] {
  const ratio = list.group_ratio[group] ?? 1;
  return list.data.map((entry) => ({
    entry,
    vendor: vendorOf(entry.model_name) || OTHER_VENDOR,
    endpoint: modelEndpointOf(entry.model_name),
    isUsable: entry.unset !== true && entry.enable_groups.includes(group),
    rates: ratesOf(entry, ratio),
  }));
}

type Test = (row: ModelRow) => boolean;

function testsOf({
  q,
  vendor,
  billing,
  endpoint,
  usable,
}: PriceFilter): Record<keyof PriceFilter, Test> {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return {
    q: ({ entry }) => words.every((word) => entry.model_name.toLowerCase().includes(word)),
    vendor: (row) => vendor.length === 0 || vendor.includes(row.vendor),
    billing: ({ entry }) => billing === '' || billing === billingOf(entry),
    endpoint: (row) => endpoint.length === 0 || endpoint.includes(row.endpoint),
    usable: ({ isUsable }) => !usable || isUsable,
  };
}

export function billingOf({ quota_type }: PriceEntry): 'tokens' | 'call' {
  return quota_type === 1 ? 'call' : 'tokens';
}

/** @param besides a filter to ignore, for the counts of its own options. */
export function filteredRows(
  rows: readonly ModelRow[],
  narrowing: PriceFilter,
  besides?: keyof PriceFilter,
): ModelRow[] {
  const tests = Object.entries(testsOf(narrowing)).filter(([name]) => name !== besides);
  return rows.filter((row) => tests.every(([, test]) => test(row)));
}

/** Values with their number of rows, highest count first. */
export function counted(
  rows: readonly ModelRow[],
  wordOf: (row: ModelRow) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(wordOf(row), (counts.get(wordOf(row)) ?? 0) + 1);
  return new Map([...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)));
}

export const SORTS = ['model', 'input', 'output', 'call'] as const;

/** @param sort one of `SORTS`, with a minus for descending; '' is usable first, then by name. */
export function sortedRows(rows: readonly ModelRow[], sort: string): ModelRow[] {
  const key = SORTS.find((name) => name === sort.replace('-', ''));
  if (key === undefined) {
    return [...rows].sort((a, b) => Number(b.isUsable) - Number(a.isUsable) || byName(a, b));
  }
  const turn = sort.startsWith('-') ? -1 : 1;
  if (key === 'model') return [...rows].sort((a, b) => turn * byName(a, b));
  const value = ({ rates }: ModelRow) => figureOf(rates, key);
  return [...rows].sort((a, b) => order(value(a), value(b), turn) || byName(a, b));
}

/** Rows without a price come last in either direction. */
function order(a: number | undefined, b: number | undefined, turn: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return turn * (a - b);
}

function byName(a: ModelRow, b: ModelRow): number {
  return a.entry.model_name.localeCompare(b.entry.model_name, 'en');
}

export type PriceFigure = 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'call';

export function figureOf(rates: Rates | undefined, figure: PriceFigure): number | undefined {
  if (rates === undefined) return undefined;
  if (rates.kind === 'per_call') return figure === 'call' ? rates.call : undefined;
  return figure === 'call' ? undefined : rates[figure];
}
