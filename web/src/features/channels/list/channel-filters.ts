/** Filters of the channel list: their URL state and the query they make. */

import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import type { ChannelStateName, UrlStateOf } from '../../../lib/browser/page-links.ts';

/** Channels that have failed longest come first. */
export function stateQuery(status: ChannelStateName | '') {
  if (status === '') return {};
  if (status === 'failing') return { health: status, sort: 'failing_since' } as const;
  if (status === 'unknown') return { health: status };
  return { status: CHANNEL_STATUS[status] };
}

export type ChannelFilterState = UrlStateOf<'/admin/channels'>;

/** The user's display preferences of the list, stored in this browser. */
export interface ListPreferences {
  readonly tagMode: boolean;
  readonly idSort: boolean;
}

/** One query for the list, its search and "select all matching", so that they agree. */
export function queryOf(filters: ChannelFilterState, { tagMode, idSort }: ListPreferences) {
  const { q, model, group, type, status, tag, untagged, sort } = filters;
  return {
    id_sort: idSort,
    tag_mode: tagMode,
    ...(q !== '' && { keyword: q }),
    ...(group !== '' && { group }),
    ...(model !== '' && { model }),
    ...(type !== undefined && { type }),
    ...(sort !== '' && { sort }),
    ...stateQuery(status),
    ...(tag !== '' && { tag }),
    ...(untagged && { untagged }),
  };
}

export type ChannelQuery = ReturnType<typeof queryOf>;

/** Keyword, group and model use the search endpoint; both return the same kind of page. */
export function isSearch({ keyword, group, model }: ChannelQuery): boolean {
  return keyword !== undefined || group !== undefined || model !== undefined;
}
