/** The log's filter, shared by the list, its sums and its export, and stored in the URL. */

import type * as z from 'zod/mini';
import type { LogFilters } from '../../../../../src/api/logs/log.ts';
import { PAGE_FIELDS, type UrlStateOf } from '../../../lib/browser/page-links.ts';
import { field, momentSec } from '../../../lib/browser/url-state.ts';

/** Charges and refunds, which make up net spend. */
export const SPEND = 'spend';

export type LogState = UrlStateOf<'/app/logs/api-usage'>;

/** The fields of the page's URL at a site with this usual range. */
export function logFields(usualRange: string) {
  return { ...PAGE_FIELDS['/app/logs/api-usage'], from: field.moment(usualRange) } as const;
}

/** The filter fields, without page and open record. */
export type LogChoice = Omit<LogState, 'page' | 'id'>;

/** The filter in the API's parameter names. */
export type LogFilter = z.input<typeof LogFilters>;

const HOUR_SEC = 3600;

/** The clocks of nodes differ, so a range without an end extends an hour past now. */
export function filterOf(state: LogChoice, isAdmin: boolean, nowSec: number): LogFilter {
  return {
    ...(state.type !== '' && { type: state.type === SPEND ? SPEND : Number(state.type) }),
    ...(state.token !== '' && { token_name: state.token }),
    ...(state.token_id !== undefined && { token_id: state.token_id }),
    ...(state.model !== '' && { model_name: state.model }),
    ...(state.group !== '' && { group: state.group }),
    ...(isAdmin && state.user !== '' && { username: state.user }),
    ...(isAdmin && state.channel !== undefined && { channel: state.channel }),
    ...(isAdmin && state.tag !== '' && { tag: state.tag }),
    ...(state.request !== '' && { request_id: state.request }),
    ...(state.ip !== '' && { client_ip: state.ip }),
    ...startBound(state.from, nowSec),
    end_timestamp: momentSec(state.to, nowSec) ?? nowSec + HOUR_SEC,
  };
}

function startBound(from: string, nowSec: number): Pick<LogFilter, 'start_timestamp'> {
  const start = momentSec(from, nowSec);
  return start === undefined ? {} : { start_timestamp: start };
}

/** The part of the state that changes which entries are shown. */
export function choiceOf({ page: _page, id: _id, ...choice }: LogState): LogChoice {
  return choice;
}
