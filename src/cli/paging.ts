/** Lists come in pages; a person may want one, a script all. */
import type { Cli } from './cli.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
}

type AskPage<T> = (page: { p: number; page_size: number }) => Promise<Page<T>>;

export const LIST_FLAGS = ['--page <n>', '--size <n>', '--all'] as const;

const ROWS_PER_PAGE = 50;
const LARGEST_PAGE = 100;

interface ListFlags {
  readonly page?: string;
  readonly size?: string;
  readonly all?: boolean;
}

/** The page that the flags ask for, or all pages as one. */
export function listed<T>(cli: Cli, flags: ListFlags, ask: AskPage<T>): Promise<Page<T>> {
  if (flags.all) return everyPage(ask);
  const p = flags.page === undefined ? 1 : cli.values.wholeNumber('--page', flags.page);
  const page_size =
    flags.size === undefined ? ROWS_PER_PAGE : cli.values.wholeNumber('--size', flags.size);
  return ask({ p, page_size });
}

export async function everyPage<T>(ask: AskPage<T>): Promise<Page<T>> {
  const items: T[] = [];
  for (let p = 1; ; p++) {
    const page = await ask({ p, page_size: LARGEST_PAGE });
    items.push(...page.items);
    if (page.items.length < LARGEST_PAGE || items.length >= page.total) break;
  }
  return { items, page: 1, page_size: items.length, total: items.length };
}
