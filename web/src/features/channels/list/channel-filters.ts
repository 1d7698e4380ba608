/** What narrows the list of channels: in the address, and as the calls want it. */
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { field, type StateOf } from '../../../lib/url-state.ts';

export const STATUSES = ['enabled', 'disabled', 'auto_disabled'] as const;
export type StatusName = (typeof STATUSES)[number];

export const FIELDS = {
  q: field.text(),
  model: field.text(),
  group: field.text(),
  type: field.number(),
  status: field.choice<StatusName | ''>([...STATUSES, ''], ''),
  tag: field.text(),
  untagged: field.flag(),
  page: field.page(),
  id: field.id(),
} as const;

export type ChannelFilters = StateOf<typeof FIELDS>;

/** How the reader likes the list, kept in this browser. */
export interface ListTaste {
  readonly pageSize: number;
  readonly tagMode: boolean;
  readonly idSort: boolean;
}

/** One query for the list, its search and "select all matching", so that they cannot disagree. */
export function queryOf(filters: ChannelFilters, { pageSize, tagMode, idSort }: ListTaste) {
  const { q, model, group, type, status, tag, untagged, page } = filters;
  return {
    p: page,
    page_size: pageSize,
    id_sort: idSort,
    tag_mode: tagMode,
    ...(q !== '' && { keyword: q }),
    ...(group !== '' && { group }),
    ...(model !== '' && { model }),
    ...(type !== undefined && { type }),
    ...(status !== '' && { status: CHANNEL_STATUS[status] }),
    ...(tag !== '' && { tag }),
    ...(untagged && { untagged }),
  };
}

export type ChannelQuery = ReturnType<typeof queryOf>;

/** Keyword, group and model have a path of their own; both give the same kind of page. */
export function isSearch({ keyword, group, model }: ChannelQuery): boolean {
  return keyword !== undefined || group !== undefined || model !== undefined;
}
