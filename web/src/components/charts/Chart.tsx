import '@mantine/charts/styles.layer.css';
import { AreaChart, BarChart, DonutChart, LineChart } from '@mantine/charts';
import { Center, useMantineTheme } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ReferenceArea } from 'recharts';
import classes from './Chart.module.css';
import { ChartLegend } from './ChartLegend.tsx';
import {
  type ChartData,
  type ChartFormat,
  type ChartPoint,
  largestIn,
  toggledSeries,
} from './chart-data.ts';

interface ChartProps {
  readonly data: ChartData;
  readonly height: number;
  readonly format: ChartFormat;
  /** Text alternative of the chart for screen readers. */
  readonly summary: string;
  /** Called with the indexes of the first and last point when the user drags over a range. */
  readonly onZoom?: ((first: number, last: number) => void) | undefined;
}

/** The only file that imports the chart library. */
export function Chart(props: ChartProps) {
  const { data, height, summary } = props;
  const largest = largestIn(data);
  const format = (value: number) => props.format(value, largest);
  if (data.kind !== 'donut') return <SeriesChart {...props} data={data} format={format} />;
  const slices = data.slices.map(({ name, value, colour }) => ({ name, value, color: colour }));
  return (
    <>
      <Center h={Math.min(200, height)} role="img" aria-label={summary}>
        <DonutChart
          data={slices}
          size={Math.min(170, height - 30)}
          thickness={22}
          valueFormatter={format}
          tooltipDataSource="segment"
        />
      </Center>
      <ChartLegend
        entries={data.slices.map(({ name, colour, value }) => ({
          key: name,
          name,
          colour,
          value: format(value),
        }))}
      />
    </>
  );
}

type SeriesData = Exclude<ChartData, { readonly kind: 'donut' }>;

interface SeriesChartProps extends ChartProps {
  readonly data: SeriesData;
  readonly format: (value: number) => string;
}

function SeriesChart({ data, height, format, summary, onZoom }: SeriesChartProps) {
  const [isolated, setIsolated] = useState<readonly string[]>([]);
  const drag = useDrag(data, onZoom);
  // A series may be absent from the next response; keep the ones that remain.
  const chosen = data.series.filter(({ key }) => isolated.includes(key));
  const shown = chosen.length === 0 ? data.series : chosen;
  const hasTotal = data.kind === 'stacked-bars' || data.kind === 'areas';
  const shared = {
    h: height,
    data: data.points.map((point) => ({ ...point })),
    dataKey: 'x',
    series: shown.map(({ key, name, colour }) => ({ name: key, label: name, color: colour })),
    valueFormatter: format,
    gridAxis: 'x' as const,
    tickLine: 'none' as const,
    // Units, counts and milliseconds are whole; between them, labels would repeat.
    yAxisProps: { width: 64, allowDecimals: false },
    // Equal steps between the labels: `preserveEnd` would leave out the last but one.
    xAxisProps: { minTickGap: 24, interval: 'equidistantPreserveStart' as const },
    tooltipProps: {
      content: ({ label, payload }: HoverProps) => (
        <ChartHover
          label={String(label ?? '')}
          entries={entriesOf(payload, data)}
          format={format}
          hasTotal={hasTotal}
        />
      ),
    },
    children: drag.area,
  };
  const line = { curveType: 'linear' as const, withDots: false, connectNulls: false };
  return (
    <>
      <div
        role="img"
        aria-label={summary}
        className={classes.plot}
        data-zooms={onZoom ? true : undefined}
      >
        {data.kind === 'lines' && (
          <LineChart
            {...shared}
            {...line}
            lineProps={({ name, color = '' }) => ({ dot: loneDot(data.points, name, color) })}
            lineChartProps={drag.props}
          />
        )}
        {data.kind === 'areas' && (
          <AreaChart {...shared} {...line} type="stacked" areaChartProps={drag.props} />
        )}
        {(data.kind === 'bars' || data.kind === 'stacked-bars') && (
          <BarChart
            {...shared}
            type={data.kind === 'stacked-bars' ? 'stacked' : 'default'}
            maxBarWidth={32}
            barChartProps={drag.props}
          />
        )}
      </div>
      {data.series.length > 1 && (
        <ChartLegend
          entries={data.series}
          shown={shown.map(({ key }) => key)}
          onToggle={(key, isAdding) => setIsolated(toggledSeries(isolated, key, isAdding))}
        />
      )}
    </>
  );
}

interface DotPosition {
  readonly cx?: number | undefined;
  readonly cy?: number | undefined;
  readonly index?: number | undefined;
}

/** Draws a dot where no line leads to a point, because its neighbours have no value. */
function loneDot(points: readonly ChartPoint[], key: string, colour: string) {
  const has = (index: number) => points[index]?.[key] !== undefined;
  return ({ cx, cy, index = 0 }: DotPosition) => {
    const isLone = has(index) && !has(index - 1) && !has(index + 1);
    return <circle key={index} cx={cx} cy={cy} r={isLone ? 2.5 : 0} fill={colour} />;
  };
}

/** The props the library passes for the point under the pointer. */
interface HoverProps {
  readonly label?: unknown;
  readonly payload?: readonly { readonly dataKey?: unknown; readonly value?: unknown }[];
}

function entriesOf(payload: HoverProps['payload'] = [], { series }: SeriesData) {
  const values = new Map(payload.map(({ dataKey, value }) => [dataKey, value]));
  return series
    .map(({ key, name, colour }) => ({ key, name, colour, value: values.get(key) }))
    .filter((entry): entry is typeof entry & { value: number } => typeof entry.value === 'number');
}

interface Drag {
  readonly first: number;
  readonly last: number;
}

/** State and highlight of the range being dragged. */
function useDrag({ points }: SeriesData, onZoom: ChartProps['onZoom']) {
  const [drag, setDrag] = useState<Drag>();
  const theme = useMantineTheme();
  if (onZoom === undefined) return { props: {}, area: undefined };
  const from = drag && points[Math.min(drag.first, drag.last)];
  const to = drag && points[Math.max(drag.first, drag.last)];
  return {
    props: {
      onMouseDown: (at: At) => {
        const index = indexOf(at);
        if (index !== undefined) setDrag({ first: index, last: index });
      },
      onMouseMove: (at: At) => {
        const index = indexOf(at);
        if (drag !== undefined && index !== undefined && index !== drag.last)
          setDrag({ ...drag, last: index });
      },
      onMouseUp: () => {
        setDrag(undefined);
        if (drag === undefined || drag.first === drag.last) return;
        onZoom(Math.min(drag.first, drag.last), Math.max(drag.first, drag.last));
      },
      onMouseLeave: () => setDrag(undefined),
    },
    area:
      from !== undefined && to !== undefined && from !== to ? (
        <ReferenceArea x1={from.x} x2={to.x} fill={theme.primaryColor} fillOpacity={0.15} />
      ) : undefined,
  };
}

interface At {
  readonly activeTooltipIndex?: number | string | null | undefined;
}

function indexOf({ activeTooltipIndex: index }: At): number | undefined {
  const number = Number(index ?? Number.NaN);
  return Number.isInteger(number) ? number : undefined;
}

interface ChartHoverProps {
  readonly label: string;
  readonly entries: readonly {
    readonly key: string;
    readonly name: string;
    readonly colour: string;
    readonly value: number;
  }[];
  readonly format: (value: number) => string;
  /** Whether a sum of the series is meaningful. */
  readonly hasTotal: boolean;
}

const MOST = 10;

/** Tooltip with every series at one point of the axis, largest first. */
function ChartHover({ label, entries, format, hasTotal }: ChartHoverProps) {
  const { t } = useTranslation();
  const present = entries.filter(({ value }) => value !== 0 || !hasTotal);
  const sorted = [...present].sort((a, b) => b.value - a.value).slice(0, MOST);
  const total = entries.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className={`${classes.hover} ${classes.table}`}>
      <strong>{label}</strong>
      {sorted.map(({ key, name, colour, value }) => (
        <div key={key} className={classes.entry}>
          <span className={classes.dot} style={{ background: colour }} />
          <span className={classes.name}>{name}</span>
          <span className={classes.value}>{format(value)}</span>
        </div>
      ))}
      {hasTotal && (
        <div className={classes.total}>
          <span>{t('common.total')}</span>
          <span>{format(total)}</span>
        </div>
      )}
    </div>
  );
}
