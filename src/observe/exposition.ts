/** Formats series in Prometheus' text format (0.0.4). */
import { isHistogram, type MetricSample, type SeriesState } from './series.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function exposition(series: readonly SeriesState[]): string {
  const lines: string[] = [];
  for (const state of series) if (state.samples.length > 0) writeSeries(lines, state);
  return `${lines.join('\n')}\n`;
}

function writeSeries(lines: string[], { name, row, samples }: SeriesState): void {
  lines.push(`# HELP ${name} ${escapeHelp(row.help)}`, `# TYPE ${name} ${row.kind}`);
  for (const sample of samples) {
    const labels = (row.labels ?? []).map(
      (label, at) => `${label}="${escapeLabel(sample.labels[at] ?? '')}"`,
    );
    if (isHistogram(sample.cell)) writeHistogram(lines, name, row.buckets ?? [], labels, sample);
    else lines.push(`${name}${braces(labels)} ${formatNumber(sample.cell.value)}`);
  }
}

function writeHistogram(
  lines: string[],
  name: string,
  bounds: readonly number[],
  labels: readonly string[],
  { cell }: MetricSample,
): void {
  if (!isHistogram(cell)) return;
  let count = 0;
  for (const [at, inBucket] of cell.counts.entries()) {
    count += inBucket;
    const bound = bounds[at];
    const le = bound === undefined ? '+Inf' : String(bound);
    lines.push(`${name}_bucket${braces([...labels, `le="${le}"`])} ${count}`);
  }
  lines.push(`${name}_sum${braces(labels)} ${formatNumber(cell.sum)}`);
  lines.push(`${name}_count${braces(labels)} ${count}`);
}

function braces(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
