/** The first screen: an overview of the site. */

import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { countText } from '../../domain/pricing/quota-text.ts';
import { isAdmin, ROLES } from '../../domain/roles.ts';
import { CHANNEL_STATUS, TOKEN_STATUS, USER_STATUS } from '../../domain/statuses.ts';
import { numberText } from '../../domain/text/number-text.ts';
import type { LocalApi } from '../../session/session.ts';
import { secondsText } from './format.ts';
import type { Log, Viewer } from './screen.ts';

export type Overview = Awaited<ReturnType<LocalApi['data']['overview']>>;

export interface Counts {
  readonly channels?: { readonly on: number; readonly off: number; readonly auto: number };
  readonly users?: { readonly all: number; readonly banned: number };
  readonly tokens: { readonly all: number; readonly expired: number };
}

export interface DashboardData {
  readonly overview: Overview;
  readonly counts: Counts;
  readonly errors: readonly Log[];
  readonly countedAtMs: number;
}

/** Counting takes many calls, and the server allows a client one per second. */
const COUNT_EVERY_MS = 30_000;
const ERROR_ROWS = 20;

export async function readDashboard(
  api: LocalApi,
  role: number,
  everyone: boolean,
  before: DashboardData | undefined,
  nowMs: number,
): Promise<DashboardData> {
  const step = 'hour';
  const overview = isAdmin(role)
    ? await api.data.overview({ step })
    : await api.data.overviewOwn({ step });
  if (before !== undefined && nowMs - before.countedAtMs < COUNT_EVERY_MS)
    return { ...before, overview };
  const [counts, errors] = await Promise.all([
    readCounts(api, role, everyone),
    readErrors(api, role),
  ]);
  return { overview, counts, errors, countedAtMs: nowMs };
}

async function readErrors(api: LocalApi, role: number): Promise<readonly Log[]> {
  const query = { type: LOG_TYPE.error, page_size: ERROR_ROWS };
  const list = role >= ROLES.admin ? api.log.list : api.log.listOwn;
  return (await list(query)).items;
}

async function readCounts(api: LocalApi, role: number, everyone: boolean): Promise<Counts> {
  const page_size = 1;
  const total = async (query: Promise<{ total: number }>) => (await query).total;
  const tokens = (status?: number) => total(api.token.list({ page_size, status, everyone }));
  const [all, expired] = await Promise.all([tokens(), tokens(TOKEN_STATUS.expired)]);
  if (!isAdmin(role)) return { tokens: { all, expired } };
  const channels = (status: number) => total(api.channel.list({ page_size, status }));
  const users = (status?: number) => total(api.user.list({ page_size, status }));
  const [on, off, auto, people, banned] = await Promise.all([
    channels(CHANNEL_STATUS.enabled),
    channels(CHANNEL_STATUS.disabled),
    channels(CHANNEL_STATUS.auto_disabled),
    users(),
    users(USER_STATUS.banned),
  ]);
  return {
    channels: { on, off, auto },
    users: { all: people, banned },
    tokens: { all, expired },
  };
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly series: readonly number[];
  readonly isBad?: boolean;
}

export function figuresOf({ overview }: DashboardData, { t }: Viewer): readonly Figure[] {
  const { series, totals, latency } = overview;
  const p95 = latency.p95 === null ? '-' : secondsText(latency.p95);
  return [
    { name: 'RPM', value: numberText(overview.rpm), series: series.map(({ calls }) => calls) },
    { name: 'TPM', value: countText(overview.tpm), series: series.map(({ tokens }) => tokens) },
    {
      name: t('tui.figures.errors'),
      value: `${(totals.error_rate * 100).toFixed(1)}%`,
      series: series.map(({ error_rate }) => error_rate),
      isBad: totals.error_rate > 0.05,
    },
    { name: 'p95', value: p95, series: series.map((step) => step.latency.p95 ?? 0) },
  ];
}

/** The number of objects of each kind. */
export function countTexts({ counts }: DashboardData, { t }: Viewer): readonly string[] {
  const { channels, users, tokens } = counts;
  return [
    ...(channels === undefined ? [] : [t('tui.figures.channels', { ...channels })]),
    ...(users === undefined ? [] : [t('tui.figures.users', { ...users })]),
    t('tui.figures.tokens', { ...tokens }),
  ];
}

export function channelsByLatency({ channels }: DashboardData['overview']) {
  return channels.toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0));
}
