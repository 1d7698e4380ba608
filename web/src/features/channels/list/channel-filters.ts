/** Filters of the channel list: their URL state and the query they make. */
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { field, type StateOf } from '../../../lib/browser/url-state.ts';

export const STATUSES = ['enabled', 'disabled', 'auto_disabled'] as const;
export type StatusName = (typeof STATUSES)[number];

export const CHANNEL_FIELDS = {
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

export type ChannelFilterState = StateOf<typeof CHANNEL_FIELDS>;

/** The user's display preferences of the list, stored in this browser. */
export interface ListPreferences {
  readonly pageSize: number;
  readonly tagMode: boolean;
  readonly idSort: boolean;
}

/** One query for the list, its search and "select all matching", so that they agree. */
export function queryOf(
  filters: ChannelFilterState,
  { pageSize, tagMode, idSort }: ListPreferences,
) {
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

/** Keyword, group and model use the search endpoint; both return the same kind of page. */
export function isSearch({ keyword, group, model }: ChannelQuery): boolean {
  return keyword !== undefined || group !== undefined || model !== undefined;
}
