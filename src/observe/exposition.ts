/** Formats series in Prometheus' text format (0.0.4) and in OpenMetrics 1.0. */
import { isHistogram, type MetricSample, type SeriesState } from './series.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Selects the content type for a scraper's `Accept` header. */
export function expositionType(accept: string): string {
  return accept.includes('application/openmetrics-text') ? OPEN_METRICS_TYPE : PROMETHEUS_TYPE;
}

export function exposition(series: readonly SeriesState[], type: string): string {
  const isOpen = type === OPEN_METRICS_TYPE;
  const lines: string[] = [];
  for (const state of series) if (state.samples.length > 0) writeSeries(lines, state, isOpen);
  if (isOpen) lines.push('# EOF');
  return `${lines.join('\n')}\n`;
}

function writeSeries(lines: string[], { name, row, samples }: SeriesState, isOpen: boolean): void {
  // In OpenMetrics a counter's family name omits the suffix of its samples.
  const family = isOpen && row.kind === 'counter' ? name.replace(/_total$/, '') : name;
  lines.push(`# HELP ${family} ${escapeHelp(row.help)}`, `# TYPE ${family} ${row.kind}`);
  for (const sample of samples) {
    const labels = (row.labels ?? []).map(
      (label, at) => `${label}="${escapeLabel(sample.labels[at] ?? '')}"`,
    );
    if (isHistogram(sample.cell))
      writeHistogram(lines, name, row.buckets ?? [], labels, sample, isOpen);
    else lines.push(`${name}${braces(labels)} ${formatNumber(sample.cell.value)}`);
  }
}

function writeHistogram(
  lines: string[],
  name: string,
  bounds: readonly number[],
  labels: readonly string[],
  { cell }: MetricSample,
  isOpen: boolean,
): void {
  if (!isHistogram(cell)) return;
  let count = 0;
  for (const [at, inBucket] of cell.counts.entries()) {
    count += inBucket;
    const bound = bounds[at];
    const le = bound === undefined ? '+Inf' : bucketBound(bound, isOpen);
    lines.push(`${name}_bucket${braces([...labels, `le="${le}"`])} ${count}`);
  }
  lines.push(`${name}_sum${braces(labels)} ${formatNumber(cell.sum)}`);
  lines.push(`${name}_count${braces(labels)} ${count}`);
}

/** OpenMetrics writes bounds as floats, so that 1 and 1.0 are not two series. */
function bucketBound(bound: number, isOpen: boolean): string {
  return isOpen && Number.isInteger(bound) ? `${bound}.0` : String(bound);
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
