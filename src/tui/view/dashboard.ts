/** Figures on top, then what costs, what is slow, and what went wrong. */

import { countText } from '../../domain/pricing/quota-text.ts';
import { oneLine } from '../../session/text.ts';
import { bar, sparkline } from '../model/charts.ts';
import { BLANK, cell, cut, filled, type Line, line, type Span } from '../model/line.ts';
import type { Runtime } from '../runtime.ts';
import type { DashboardData } from '../screens/dashboard.ts';
import { money, numberText, secondsText, shortTime } from '../screens/format.ts';
import type { Viewer } from '../screens/screen.ts';
import { padded } from './table.ts';

const WIDE = 140;
const NORMAL = 100;
const SLOW_MS = 3000;

export function dashboardLines(runtime: Runtime, width: number, height: number): readonly Line[] {
  const { state, viewer } = runtime;
  const data = state.dashboard;
  if (data === undefined) return padded([line(` ${viewer.t('tui.say.loading')}`, 'dim')], height);
  const figures = figureLines(data, width, viewer);
  const counts = countLine(data, viewer);
  const room = height - figures.length - 3;
  const panels = panelLines(data, { width, height: room, errorAt: state.errorAt }, viewer);
  return padded([...figures, BLANK, cut(counts, width), BLANK, ...panels], height);
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

/** `$31.20/24h` and `1,204 calls`. */
export function costTexts(
  { overview }: DashboardData,
  viewer: Viewer,
): readonly [cost: string, calls: string] {
  const { quota, calls } = overview.totals;
  const count = numberText(calls);
  return [`${money(quota, viewer)}/24h`, viewer.t('tui.figures.calls', { count })];
}

function figureLines(data: DashboardData, width: number, viewer: Viewer): readonly Line[] {
  const [perDay, calls] = costTexts(data, viewer);
  const cost: Line = [
    { text: ` ${perDay}`, tone: 'strong' },
    { text: `  ${calls}`, tone: 'dim' },
  ];
  // Beside each other where there is room, else with the cost on a line of its own.
  const room = width >= WIDE ? 20 : width >= NORMAL ? 12 : 8;
  const drawn: Line = figuresOf(data, viewer).flatMap(
    (figure) =>
      [
        { text: ` ${figure.name} `, tone: 'dim' },
        { text: figure.value, tone: figure.isBad ? 'bad' : 'strong' },
        { text: ` ${sparkline(figure.series, room)} `, tone: figure.isBad ? 'bad' : 'info' },
      ] as Line,
  );
  return [cut(drawn, width), cut(cost, width)];
}

/** How many there are of each kind, and a word where the last hour is not counted yet. */
export function countTexts({ counts, overview }: DashboardData, { t }: Viewer): readonly string[] {
  const { channels, users, tokens } = counts;
  return [
    ...(channels === undefined ? [] : [t('tui.figures.channels', { ...channels })]),
    ...(users === undefined ? [] : [t('tui.figures.users', { ...users })]),
    t('tui.figures.tokens', { ...tokens }),
    ...(overview.is_complete ? [] : [t('tui.figures.incomplete')]),
  ];
}

function countLine(data: DashboardData, viewer: Viewer): Line {
  const texts = countTexts(data, viewer);
  const isIncomplete = !data.overview.is_complete;
  return texts.map((text, index): Span => {
    const gap = index === 0 ? ' ' : '    ';
    const isWarning = isIncomplete && index === texts.length - 1;
    return isWarning ? { text: `  ${text}`, tone: 'warn' } : { text: gap + text };
  });
}

interface Panel {
  readonly title: string;
  readonly width: number;
  readonly rows: readonly Line[];
}

function panelLines(
  { overview, errors }: DashboardData,
  {
    width,
    height,
    errorAt,
  }: { readonly width: number; readonly height: number; readonly errorAt: number },
  viewer: Viewer,
): readonly Line[] {
  const { t } = viewer;
  const firstError = Math.max(0, errorAt - (height - 2));
  // The last panel takes what the others leave.
  const first = Math.floor(width * 0.38);
  const second = overview.channels.length === 0 ? 0 : Math.floor(width * 0.28);
  const third = width - first - second;
  const most = Math.max(0, ...overview.models.map(({ quota }) => quota));
  const bars = Math.max(4, Math.floor(first / 4));
  const panels: readonly Panel[] = [
    {
      title: t('tui.figures.top_models'),
      width: first,
      rows: overview.models.map(({ model_name, quota }) => [
        { text: cell(model_name, first - bars - 13) },
        { text: ` ${cell(money(quota, viewer), 9, 'right')} ` },
        { text: bar(quota, most, bars), tone: 'info' },
      ]),
    },
    {
      title: t('tui.figures.slow_channels'),
      width: second,
      rows: slowest(overview).map(({ channel_name, channel, p95, success_rate }) => [
        { text: cell(oneLine(channel_name) || `#${channel}`, second - 15) },
        {
          text: cell(secondsText(p95 ?? 0), 7, 'right'),
          tone: (p95 ?? 0) > SLOW_MS ? 'warn' : 'plain',
        },
        {
          text: cell(`${(success_rate * 100).toFixed(0)}%`, 6, 'right'),
          tone: success_rate < 0.95 ? 'bad' : 'good',
        },
      ]),
    },
    {
      title: t('tui.figures.recent_errors'),
      width: third,
      rows: errors.slice(firstError).map(
        ({ created_at, content, model_name, channel }, index): Line => [
          {
            text: `${firstError + index === errorAt ? '>' : ' '}${shortTime(created_at, viewer)}`,
            tone: 'dim',
            inverse: firstError + index === errorAt,
          },
          { text: channel > 0 ? ` ch ${channel}` : '', tone: 'bad' },
          { text: ` ${model_name} ` },
          { text: oneLine(content), tone: 'dim' },
        ],
      ),
    },
  ];
  return readExtras(
    panels.filter((panel) => panel.width > 0),
    height,
    t('tui.say.nothing'),
  );
}

export function slowest({ channels }: DashboardData['overview']) {
  return channels.toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0));
}

function readExtras(panels: readonly Panel[], height: number, nothing: string): readonly Line[] {
  const columns = panels.map(({ title, rows, width }) => {
    const body = rows.length === 0 ? [line(nothing, 'dim')] : rows;
    return padded([line(title, 'strong'), ...body], height).map((each) => ({ each, width }));
  });
  return Array.from({ length: Math.max(0, height) }, (_, at) =>
    columns.flatMap((column, index): Line => {
      const row = column[at];
      if (row === undefined) return [];
      const isLast = index === columns.length - 1;
      const body = cut(row.each, row.width - 2);
      return isLast ? [{ text: ' ' }, ...body] : [{ text: ' ' }, ...filled(body, row.width - 1)];
    }),
  );
}
