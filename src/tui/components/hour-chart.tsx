/** Columns per hour with their axes, where a terminal has lines left beside the panels. */
import { Box } from 'ink';
import { columnLines } from '../model/charts.ts';
import { localMinutes } from '../screens/format.ts';
import { Toned } from './text.tsx';

/** Columns of the labels at the left. */
const LABEL = 9;
/** The title and the line of times. */
const AROUND_CHART = 2;
/** With fewer lines a chart says no more than a sparkline. */
export const SMALLEST_CHART = AROUND_CHART + 4;
export const LARGEST_CHART = AROUND_CHART + 18;

interface Props {
  readonly title: string;
  readonly series: readonly { readonly start: number; readonly value: number }[];
  readonly label: (value: number) => string;
  readonly width: number;
  readonly height: number;
}

/** Hidden from screen readers, which get the totals. */
export function HourChart({ title, series, label, width, height }: Props) {
  const values = series.map(({ value }) => value);
  const size = {
    width: evenWidth(width - LABEL - 1, values.length),
    height: height - AROUND_CHART,
  };
  const rows = columnLines(values, size).map((line, at) => ({ line, level: size.height - at }));
  const first = series.at(-size.width) ?? series[0];
  return (
    <Box flexDirection="column" width={width} flexShrink={0} aria-hidden>
      <Toned tone="strong">{title}</Toned>
      {rows.map(({ line, level }) => (
        <Box key={level} height={1}>
          <Box width={LABEL} flexShrink={0} justifyContent="flex-end">
            <Toned tone="dim">
              {level === size.height ? label(Math.max(0, ...values)) : ''}
              {level === 1 ? label(0) : ''}
            </Toned>
          </Box>
          <Toned tone="dim">│</Toned>
          <Toned tone="info">{line}</Toned>
        </Box>
      ))}
      <Box width={LABEL + 1 + size.width} paddingLeft={LABEL + 1} justifyContent="space-between">
        <Toned tone="dim">{localMinutes(first?.start ?? 0)}</Toned>
        <Toned tone="dim">{localMinutes(series.at(-1)?.start ?? 0)}</Toned>
      </Box>
    </Box>
  );
}

/** Wide columns are equally wide, which narrow ones, without a gap between them, need not be. */
function evenWidth(cells: number, columns: number): number {
  const each = Math.floor(cells / Math.max(1, columns));
  return each >= 3 ? each * columns : cells;
}
