/** What the dashboard shows, kept in the address. */
import { field, momentSec, type StateOf } from '../../lib/url-state.ts';

export const STEPS = ['hour', 'day', 'week'] as const;
export type Step = (typeof STEPS)[number];

export const DASHBOARD_FIELDS = {
  /** '' goes by the step. */
  from: field.moment(),
  to: field.moment(),
  /** '' is the site's choice. */
  step: field.choice(['hour', 'day', 'week', ''], ''),
  /** Administrators only. */
  user: field.text(),
  compare: field.flag(),
};

export type DashboardState = StateOf<typeof DASHBOARD_FIELDS>;

/** One question that all figures of the page answer. */
export interface Asked {
  readonly isAdmin: boolean;
  readonly user: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly step: Step;
}

const USUAL_RANGE = { hour: '24h', day: '7d', week: '30d' } as const;
const DAY_SEC = 86_400;
const MOST_DAYS = 366;

/** The range of the address, or the usual one of the step. */
export function rangeWord(from: string, step: Step): string {
  return from === '' ? USUAL_RANGE[step] : from;
}

/** @throws never: a range that is too long or backwards is cut, as a link may hold anything. */
export function askedOf(
  state: DashboardState,
  usualStep: Step,
  isAdmin: boolean,
  nowSec: number,
): Asked {
  const step = state.step === '' ? usualStep : state.step;
  const endSec = Math.min(momentSec(state.to, nowSec) ?? nowSec, nowSec);
  const from = momentSec(rangeWord(state.from, step), nowSec) ?? endSec - MOST_DAYS * DAY_SEC;
  const startSec = Math.max(Math.min(from, endSec - 1), endSec - MOST_DAYS * DAY_SEC);
  return { isAdmin, user: isAdmin ? state.user : '', startSec, endSec, step };
}

const OWN_DAYS = 30;

/** A span in parts of a month: [start, end] each, both ends included, without a gap. */
export function spansOf(startSec: number, endSec: number): readonly (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  for (let start = startSec; start <= endSec; start += OWN_DAYS * DAY_SEC) {
    spans.push([start, Math.min(start + OWN_DAYS * DAY_SEC - 1, endSec)]);
  }
  return spans;
}

/** The usage log of the same range; the rest narrows it. */
export function logAddress(asked: Asked, rest: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    from: String(asked.startSec),
    to: String(asked.endSec),
    ...(asked.user !== '' && { user: asked.user }),
    ...rest,
  });
  return `/app/logs/api-usage?${query}`;
}
