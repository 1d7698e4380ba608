/** Paginated lists: one page for people, all pages for scripts. */
import type { Cli } from '../cli.ts';
import type { FlagsOf } from '../command.ts';
import type { View } from '../output/render-reply.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
}

interface PageQuery {
  readonly p: number;
  readonly page_size: number;
}

type AskPage<T> = (page: PageQuery) => Promise<Page<T>>;

export const LIST_FLAGS = ['--page <n>', '--size <n>', '--all'] as const;

const ROWS_PER_PAGE = 50;
const LARGEST_PAGE = 100;

/** `--limit`: the first rows up to this number, over as many pages as needed. */
export type ListFlags = FlagsOf<(typeof LIST_FLAGS)[number] | '--limit <n>'>;

/** The page selected by the flags, or all pages combined. */
function requestedPage<T>(cli: Cli, flags: ListFlags, ask: AskPage<T>): Promise<Page<T>> {
  if (flags.all) return allPages(ask);
  if (flags.limit !== undefined)
    return firstRows(ask, cli.values.wholeNumber('--limit', flags.limit));
  const p = cli.values.wholeNumber('--page', flags.page) ?? 1;
  const page_size = cli.values.wholeNumber('--size', flags.size) ?? ROWS_PER_PAGE;
  return ask({ p, page_size });
}

/** Prints the page selected by the flags, or all pages combined. */
export async function printList<T>(
  cli: Cli,
  flags: ListFlags,
  view: View,
  ask: AskPage<T>,
  shown: (row: T) => unknown = (row) => row,
): Promise<void> {
  const page = await requestedPage(cli, flags, ask);
  await cli.print({ ...page, items: page.items.map(shown) }, view);
}

/** The same for rows already in memory. */
export function printRows<T>(
  cli: Cli,
  flags: ListFlags,
  view: View,
  rows: readonly T[],
): Promise<void> {
  return printList(cli, flags, view, async ({ p, page_size }) => ({
    items: rows.slice((p - 1) * page_size, p * page_size),
    page: p,
    page_size,
    total: rows.length,
  }));
}

async function firstRows<T>(ask: AskPage<T>, limit: number): Promise<Page<T>> {
  const { items, total } = await pagesUntil(ask, (count) => count >= limit);
  const rows = items.slice(0, Math.max(0, limit));
  return { items: rows, page: 1, page_size: rows.length, total };
}

async function allPages<T>(ask: AskPage<T>): Promise<Page<T>> {
  const items = await allItems(ask);
  return { items, page: 1, page_size: items.length, total: items.length };
}

/** The items of all pages of a list; every page is asked for with `query`. */
export async function allItems<Query extends Partial<Record<keyof PageQuery, unknown>>, T>(
  list: (query: Query) => Promise<Page<T>>,
  query: Partial<NoInfer<Query>> = {},
): Promise<T[]> {
  // No list requires more than its page.
  const ask = (page: PageQuery) => list({ ...query, ...page } as Query);
  return (await pagesUntil(ask, () => false)).items;
}

async function pagesUntil<T>(ask: AskPage<T>, isEnough: (count: number) => boolean) {
  const items: T[] = [];
  for (let p = 1; ; p++) {
    const page = await ask({ p, page_size: LARGEST_PAGE });
    items.push(...page.items);
    const isLast = page.items.length < LARGEST_PAGE || items.length >= page.total;
    if (isLast || isEnough(items.length)) return { items, total: page.total };
  }
}
