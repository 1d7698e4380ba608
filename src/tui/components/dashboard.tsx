/**
 * The dashboard: totals, charts of the last 24 hours if the terminal is high enough, then the most
 * expensive models, the slowest channels and the latest errors.
 */
import { Box, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';
import { countText } from '../../domain/pricing/quota-text.ts';
import { oneLine } from '../../session/text.ts';
import { bar, sparkline } from '../model/charts.ts';
import type { Tone } from '../model/line.ts';
import type { Runtime } from '../runtime.ts';
import { channelsByLatency, countTexts, figuresOf } from '../screens/dashboard.ts';
import { money, secondsText, shortTime } from '../screens/format.ts';
import { HourChart, LARGEST_CHART, SMALLEST_CHART } from './hour-chart.tsx';
import { Inverse, Spans, Toned } from './text.tsx';

const WIDE = 140;
const NORMAL = 100;
const SLOW_MS = 3000;
/** Lines above the panels: metrics, cost, counts, the two between, and the title. */
const ABOVE = 6;
/** Lines that the panels keep beside charts: a title and some rows. */
const PANEL_LINES = 9;

interface Props {
  readonly runtime: Runtime;
  readonly width: number;
  readonly height: number;
}

export function Dashboard(props: Props) {
  const isRead = useIsScreenReaderEnabled();
  const { runtime, width } = props;
  const { viewer, state } = runtime;
  const { t } = viewer;
  const data = state.dashboard;
  if (data === undefined)
    return (
      <Box paddingLeft={1}>
        <Toned tone="dim">{t('tui.messages.loading')}</Toned>
      </Box>
    );
  const { calls, quota } = data.overview.totals;
  const curve = width >= WIDE ? 20 : width >= NORMAL ? 12 : 8;
  const counts = countTexts(data, viewer).join('    ');
  const chart = isRead ? 0 : chartLines(props);
  const incomplete = data.overview.is_complete ? '' : `    ${t('tui.figures.incomplete')}`;
  return (
    <Box flexDirection="column" flexGrow={1}>
      <Box height={1} paddingLeft={1} columnGap={2}>
        {figuresOf(data, viewer).map(({ name, value, series, isBad }) => (
          <Box key={name} columnGap={1} flexShrink={0}>
            <Toned tone="dim">{name}</Toned>
            <Toned tone={isBad ? 'bad' : 'strong'}>{value}</Toned>
            <Toned tone={isBad ? 'bad' : 'info'} aria-hidden>
              {sparkline(series, curve)}
            </Toned>
          </Box>
        ))}
      </Box>
      <Box paddingLeft={1} columnGap={2}>
        <Toned tone="strong">{`${money(quota, viewer)}/24h`}</Toned>
        <Toned tone="dim">{t('tui.figures.calls', { count: calls })}</Toned>
      </Box>
      <Box height={1} marginY={1} paddingLeft={1}>
        <Spans line={[{ text: counts }, { text: incomplete, tone: 'warn' }]} />
      </Box>
      {chart > 0 && <Charts {...props} height={chart} />}
      {isRead || width >= NORMAL ? (
        <Box flexDirection={isRead ? 'column' : 'row'} flexGrow={1} columnGap={1} paddingX={1}>
          <Panel name="top_models" share={0.38} {...props} rows={modelRows(props)} />
          {data.overview.channels.length > 0 && (
            <Panel name="slow_channels" share={0.28} {...props} rows={channelRows(props)} />
          )}
          <Panel
            name="recent_errors"
            {...props}
            rows={errorRows(props, props.height - chart - ABOVE)}
          />
        </Box>
      ) : (
        <NarrowPanels {...props} height={props.height - chart} />
      )}
    </Box>
  );
}

/** The errors have lines of their own, where beside the others their texts would not be seen. */
function NarrowPanels(props: Props) {
  const rows = props.height - ABOVE - 1;
  const above = Math.ceil(rows / 2);
  const hasChannels = (props.runtime.state.dashboard?.overview.channels.length ?? 0) > 0;
  return (
    <Box flexDirection="column" flexGrow={1} paddingX={1}>
      <Box columnGap={1} height={above + 1} flexShrink={0}>
        <Panel
          name="top_models"
          {...(hasChannels && { share: 0.5 })}
          {...props}
          rows={modelRows(props).slice(0, above)}
        />
        {hasChannels && (
          <Panel name="slow_channels" {...props} rows={channelRows(props).slice(0, above)} />
        )}
      </Box>
      <Panel name="recent_errors" {...props} rows={errorRows(props, rows - above)} />
    </Box>
  );
}

/** The lines of the charts and of the empty one below; 0 without enough of them. */
function chartLines({ height }: Props): number {
  const lines = Math.min(height - ABOVE - PANEL_LINES, LARGEST_CHART + 1);
  return lines > SMALLEST_CHART ? lines : 0;
}

/** Calls and cost per hour, side by side if they fit. */
function Charts({ runtime, width, height }: Props) {
  const { viewer, state } = runtime;
  const series = state.dashboard?.overview.series ?? [];
  const isPair = width >= NORMAL;
  const size = { width: isPair ? Math.floor(width / 2) - 2 : width - 2, height: height - 1 };
  return (
    <Box height={height} flexShrink={0} paddingX={1} columnGap={2}>
      <HourChart
        title={viewer.t('tui.figures.hourly_calls')}
        series={series.map(({ start, calls: value }) => ({ start, value }))}
        label={countText}
        {...size}
      />
      {isPair && (
        <HourChart
          title={viewer.t('tui.figures.hourly_cost')}
          series={series.map(({ start, quota: value }) => ({ start, value }))}
          label={(units) => money(units, viewer)}
          {...size}
        />
      )}
    </Box>
  );
}

interface PanelProps extends Props {
  /** Key of the title under `tui.figures`. */
  readonly name: string;
  /** Of the whole width; default: what remains. */
  readonly share?: number;
  readonly rows: readonly ReactNode[];
}

function Panel({ name, share, rows, width, runtime: { viewer } }: PanelProps) {
  const size =
    share === undefined
      ? { flexGrow: 1, flexBasis: 0 }
      : { width: Math.floor(width * share) - 1, flexShrink: 0 };
  return (
    <Box flexDirection="column" {...size}>
      <Toned tone="strong">{viewer.t(`tui.figures.${name}`)}</Toned>
      {rows.length > 0 ? rows : <Toned tone="dim">{viewer.t('tui.messages.nothing')}</Toned>}
    </Box>
  );
}

/** The name is truncated in favor of the values beside it. */
function PanelRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Box height={1} flexShrink={0}>
      <Box flexGrow={1} flexBasis={0}>
        <Toned>{name}</Toned>
      </Box>
      {children}
    </Box>
  );
}

interface FigureProps {
  readonly width: number;
  readonly tone?: Tone;
  readonly children: string;
}

function Figure({ width, tone, children }: FigureProps) {
  return (
    <Box width={width} flexShrink={0} justifyContent="flex-end">
      <Toned tone={tone}>{children}</Toned>
    </Box>
  );
}

function modelRows({ runtime: { state, viewer }, width }: Props) {
  const models = state.dashboard?.overview.models ?? [];
  const bars = Math.max(4, Math.floor(width / 10.5));
  const most = Math.max(0, ...models.map(({ quota }) => quota));
  return models.map(({ model_name, quota }) => (
    <PanelRow key={model_name} name={model_name}>
      <Figure width={10}>{money(quota, viewer)}</Figure>
      <Box width={bars + 1} flexShrink={0} paddingLeft={1} aria-hidden>
        <Toned tone="info">{bar(quota, most, bars)}</Toned>
      </Box>
    </PanelRow>
  ));
}

function channelRows({ runtime: { state } }: Props) {
  const { overview } = state.dashboard ?? {};
  const channels = overview === undefined ? [] : channelsByLatency(overview);
  return channels.map(({ channel_name, channel, p95, success_rate: rate }) => (
    <PanelRow key={channel} name={oneLine(channel_name) || `#${channel}`}>
      <Figure width={7} tone={(p95 ?? 0) > SLOW_MS ? 'warn' : 'plain'}>
        {secondsText(p95 ?? 0)}
      </Figure>
      <Figure width={6} tone={rate < 0.95 ? 'bad' : 'good'}>{`${(rate * 100).toFixed(0)}%`}</Figure>
    </PanelRow>
  ));
}

/** As many as fit into `lines`, including the selected one. */
function errorRows({ runtime: { state, viewer } }: Props, lines: number) {
  const chosen = state.errorAt;
  const first = Math.max(0, chosen - lines + 1);
  const errors = state.dashboard?.errors.slice(first) ?? [];
  return errors.map(({ id, created_at, content, model_name, channel }, index) => {
    const time = shortTime(created_at, viewer);
    return (
      <Box key={id} height={1} flexShrink={0}>
        <Toned>
          <Toned tone="dim">
            {first + index === chosen ? <Inverse>{`>${time}`}</Inverse> : ` ${time}`}
          </Toned>
          <Toned tone="bad">{channel > 0 ? ` ch ${channel}` : ''}</Toned>
          {` ${model_name} `}
          <Toned tone="dim">{oneLine(content)}</Toned>
        </Toned>
      </Box>
    );
  });
}
