/** The users a message can be sent to, by page or all at once. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { toast } from '../../components/layout/toasts.tsx';
import { userKeys } from '../../lib/api/query-keys.ts';
import { recipientUsers } from './calls.ts';
import type { Audience, SelectedUsers } from './form.ts';

export const PICKER_PAGE = 20;
const LARGEST_PAGE = 100;
/** Maximum number of individually collected users; for more, choose a group or everyone. */
const MAX_GATHERED = 5_000;

export interface RecipientCandidate {
  readonly id: number;
  readonly name: string;
  readonly display: string;
  /** False for a closed account, which receives nothing. */
  readonly isOpen: boolean;
}

interface Filter {
  readonly keyword: string;
  readonly group: string;
}

interface CandidatePage {
  readonly items: readonly RecipientCandidate[];
  readonly total: number;
}

export function useCandidates(filter: Filter, page: number) {
  return useQuery({
    queryKey: userKeys.part('candidates', { ...filter, page }),
    queryFn: ({ signal }) => readPage(filter, { p: page, page_size: PICKER_PAGE }, signal),
    placeholderData: keepPreviousData,
  });
}

async function readPage(
  { keyword, group }: Filter,
  window: { readonly p: number; readonly page_size: number },
  signal?: AbortSignal,
): Promise<CandidatePage> {
  const isNarrowed = keyword !== '' || group !== '';
  const { items, total } = isNarrowed
    ? await recipientUsers.search({ keyword, group, ...window }, { signal })
    : await recipientUsers.list(window, { signal });
  return {
    total,
    items: items.map(({ id, username, display_name, DeletedAt }) => ({
      id,
      name: username,
      display: display_name,
      isOpen: DeletedAt === null,
    })),
  };
}

/** Everyone or a whole group is stored by name; the matches of a search are collected. */
export async function everyMatch(
  filter: Filter,
  total: number,
  picked: SelectedUsers,
): Promise<Audience> {
  if (filter.keyword === '')
    return filter.group === ''
      ? { kind: 'all', count: total }
      : { kind: 'group', group: filter.group, count: total };
  const users = new Map(picked);
  try {
    const pages = Math.ceil(Math.min(total, MAX_GATHERED) / LARGEST_PAGE);
    for (let page = 1; page <= pages; page++) {
      const { items } = await readPage(filter, { p: page, page_size: LARGEST_PAGE });
      for (const { id, name, isOpen } of items) if (isOpen) users.set(id, name);
    }
  } catch (error) {
    toast.failure(error);
    return { kind: 'picked', users: picked };
  }
  if (total > MAX_GATHERED) toast.info(i18next.t('message.gathered', { most: MAX_GATHERED }));
  return { kind: 'picked', users };
}
