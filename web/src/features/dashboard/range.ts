/** The dashboard's state in the URL. */
import { HOUR_SEC } from '../../../../src/domain/logs/log-hours.ts';
import { linkTo, type UrlStateOf } from '../../lib/browser/page-links.ts';
import { field, momentSec, type StateOf } from '../../lib/browser/url-state.ts';

export const TIME_STEPS = ['hour', 'day', 'week'] as const;
export type TimeStep = (typeof TIME_STEPS)[number];

export const DASHBOARD_FIELDS = {
  /** '' uses the default of the step. */
  from: field.moment(),
  to: field.moment(),
  /** '' uses the site's default. */
  step: field.choice(['hour', 'day', 'week', ''], ''),
  /** Administrators only. */
  user: field.text(),
  compare: field.flag(),
};

export type DashboardState = StateOf<typeof DASHBOARD_FIELDS>;

/** The query parameters shared by all data of the page. */
export interface DashboardQuery {
  readonly isAdmin: boolean;
  readonly user: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly step: TimeStep;
}

const USUAL_RANGE = { hour: '24h', day: '7d', week: '30d' } as const;
const DAY_SEC = 86_400;
const MAX_DAYS = 366;

/** The range in the URL, or the default of the step. */
export function rangeWord(from: string, step: TimeStep): string {
  return from === '' ? USUAL_RANGE[step] : from;
}

/** Never throws: clamps a range that is too long or reversed, as a link may contain anything. */
export function dashboardQuery(
  state: DashboardState,
  usualStep: TimeStep,
  isAdmin: boolean,
  nowSec: number,
): DashboardQuery {
  const step = state.step === '' ? usualStep : state.step;
  const lastSec = Math.min(momentSec(state.to, nowSec) ?? nowSec, nowSec);
  // Whole hours of the reader, as the overview has them, so that the log has the same sums.
  const endSec = localHour(lastSec) + HOUR_SEC - 1;
  const from = momentSec(rangeWord(state.from, step), nowSec) ?? endSec - MAX_DAYS * DAY_SEC;
  const earliest = localHour(endSec - MAX_DAYS * DAY_SEC) + HOUR_SEC;
  const startSec = Math.max(localHour(Math.min(from, lastSec)), earliest);
  return { isAdmin, user: isAdmin ? state.user : '', startSec, endSec, step };
}

/** Some zones' hours begin within an hour of UTC. */
function localHour(sec: number): number {
  return new Date(sec * 1000).setMinutes(0, 0, 0) / 1000;
}

const OWN_DAYS = 30;

/** Splits a range into months: [start, end] each, both inclusive, without gaps. */
export function spansOf(startSec: number, endSec: number): readonly (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  for (let start = startSec; start <= endSec; start += OWN_DAYS * DAY_SEC) {
    spans.push([start, Math.min(start + OWN_DAYS * DAY_SEC - 1, endSec)]);
  }
  return spans;
}

/** Link to the charges and refunds of the same range in the usage log, with further filters. */
export function logAddress(
  filter: DashboardQuery,
  rest: Partial<UrlStateOf<'/app/logs/api-usage'>> = {},
): string {
  return linkTo('/app/logs/api-usage', {
    from: String(filter.startSec),
    to: String(filter.endSec),
    type: 'spend',
    user: filter.user,
    ...rest,
  });
}

/** The same for one subject of a list; undefined if it has no name, because that selects all. */
export function entriesAddress(
  filter: DashboardQuery,
  subject: Pick<Partial<UrlStateOf<'/app/logs/api-usage'>>, 'model' | 'token' | 'user' | 'channel'>,
): string | undefined {
  const isNamed = Object.values(subject).every((value) => value !== '' && value !== 0);
  return isNamed ? logAddress(filter, subject) : undefined;
}
