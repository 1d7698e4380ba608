/** The dashboard: totals, then the most expensive models, the slowest channels, latest errors. */
import { Box, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';
import { oneLine } from '../../session/text.ts';
import { bar, sparkline } from '../model/charts.ts';
import type { Runtime } from '../runtime.ts';
import {
  channelsByLatency,
  costTexts,
  countTexts,
  type DashboardData,
  figuresOf,
} from '../screens/dashboard.ts';
import { money, secondsText, shortTime } from '../screens/format.ts';
import type { Log, Viewer } from '../screens/screen.ts';
import { Fixed, Inverse, Toned } from './text.tsx';

const WIDE = 140;
const NORMAL = 100;
const SLOW_MS = 3000;
/** Lines above the panels: metrics, cost, counts and the two between. */
const ABOVE = 5;

interface Props {
  readonly runtime: Runtime;
  readonly width: number;
  readonly height: number;
}

export function Dashboard({ runtime, width, height }: Props) {
  const isRead = useIsScreenReaderEnabled();
  const { state, viewer } = runtime;
  const data = state.dashboard;
  const { t } = viewer;
  if (data === undefined)
    return (
      <Box paddingLeft={1}>
        <Toned tone="dim">{t('tui.messages.loading')}</Toned>
      </Box>
    );
  const { overview, errors } = data;
  return (
    <Box flexDirection="column" flexGrow={1}>
      <Figures data={data} width={width} viewer={viewer} />
      <Counts data={data} viewer={viewer} />
      <Box flexDirection={isRead ? 'column' : 'row'} flexGrow={1} columnGap={1} paddingX={1}>
        <Panel
          title={t('tui.figures.top_models')}
          width={Math.floor(width * 0.38) - 1}
          viewer={viewer}
        >
          {modelRows(overview, Math.max(4, Math.floor(width / 10.5)), viewer)}
        </Panel>
        {overview.channels.length > 0 && (
          <Panel
            title={t('tui.figures.slow_channels')}
            width={Math.floor(width * 0.28) - 1}
            viewer={viewer}
          >
            {channelRows(overview)}
          </Panel>
        )}
        <Panel title={t('tui.figures.recent_errors')} viewer={viewer}>
          {errorRows(errors, state.errorAt, height - ABOVE - 1, viewer)}
        </Panel>
      </Box>
    </Box>
  );
}

interface DataProps {
  readonly data: DashboardData;
  readonly viewer: Viewer;
}

function Figures({ data, width, viewer }: DataProps & { readonly width: number }) {
  const curve = width >= WIDE ? 20 : width >= NORMAL ? 12 : 8;
  const [cost, calls] = costTexts(data, viewer);
  return (
    <>
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
        <Toned tone="strong">{cost}</Toned>
        <Toned tone="dim">{calls}</Toned>
      </Box>
    </>
  );
}

function Counts({ data, viewer }: DataProps) {
  return (
    <Box height={1} marginY={1} paddingLeft={1} columnGap={4}>
      {countTexts(data, viewer).map((text) => (
        <Fixed key={text}>
          <Toned>{text}</Toned>
        </Fixed>
      ))}
      {!data.overview.is_complete && (
        <Toned tone="warn">{viewer.t('tui.figures.incomplete')}</Toned>
      )}
    </Box>
  );
}

interface PanelProps {
  readonly title: string;
  /** Default: the remaining width. */
  readonly width?: number;
  readonly viewer: Viewer;
  readonly children: readonly ReactNode[];
}

function Panel({ title, width, viewer, children }: PanelProps) {
  const size = width === undefined ? { flexGrow: 1, flexBasis: 0 } : { width, flexShrink: 0 };
  return (
    <Box flexDirection="column" {...size}>
      <Toned tone="strong">{title}</Toned>
      {children.length === 0 ? (
        <Toned tone="dim">{viewer.t('tui.messages.nothing')}</Toned>
      ) : (
        children
      )}
    </Box>
  );
}

type Overview = DashboardData['overview'];

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

function Figure({ width, children }: { readonly width: number; readonly children: ReactNode }) {
  return (
    <Box width={width} flexShrink={0} justifyContent="flex-end">
      {children}
    </Box>
  );
}

function modelRows({ models }: Overview, bars: number, viewer: Viewer) {
  const most = Math.max(0, ...models.map(({ quota }) => quota));
  return models.map(({ model_name, quota }) => (
    <PanelRow key={model_name} name={model_name}>
      <Figure width={10}>
        <Toned>{money(quota, viewer)}</Toned>
      </Figure>
      <Box width={bars + 1} flexShrink={0} paddingLeft={1} aria-hidden>
        <Toned tone="info">{bar(quota, most, bars)}</Toned>
      </Box>
    </PanelRow>
  ));
}

function channelRows(overview: Overview) {
  return channelsByLatency(overview).map(({ channel_name, channel, p95, success_rate }) => (
    <PanelRow key={channel} name={oneLine(channel_name) || `#${channel}`}>
      <Figure width={7}>
        <Toned tone={(p95 ?? 0) > SLOW_MS ? 'warn' : 'plain'}>{secondsText(p95 ?? 0)}</Toned>
      </Figure>
      <Figure width={6}>
        <Toned tone={success_rate < 0.95 ? 'bad' : 'good'}>
          {`${(success_rate * 100).toFixed(0)}%`}
        </Toned>
      </Figure>
    </PanelRow>
  ));
}

/** As many as fit, including the selected one. */
function errorRows(errors: readonly Log[], chosen: number, height: number, viewer: Viewer) {
  const first = Math.max(0, chosen - height + 1);
  return errors.slice(first).map((error, index) => {
    const { id, created_at, content, model_name, channel } = error;
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
