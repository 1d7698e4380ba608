/** OTLP/HTTP in JSON: opentelemetry.io/docs/specs/otlp, opentelemetry-proto "trace", "metrics". */
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { isHistogram, type MetricSample, type SeriesState } from '../series.ts';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Integers are `intValue`, as text: JSON numbers do not cover 64 bits. */
export function wireAttributes(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: wireValue(value) }],
  );
}

function wireValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** Epoch nanoseconds, as text. */
export function nanosOf(epochMs: number): string {
  return String(BigInt(Math.round(epochMs * 1000)) * 1000n);
}

export const SCOPE_NAME = 'ai-model-gateway';

/** The resource attributes: OTEL_SERVICE_NAME takes precedence over OTEL_RESOURCE_ATTRIBUTES. */
export function resourceOf(config: Config, { version, node }: Pick<Context, 'version' | 'node'>) {
  const given = parsePairs(config.resourceAttributes);
  const name = config.serviceName || given['service.name'] || SCOPE_NAME;
  return {
    attributes: wireAttributes({
      'service.version': version,
      'service.instance.id': node,
      ...given,
      'service.name': name,
    }),
  };
}

/** `key=value,key=value`, percent-encoded (W3C Baggage, as the specification requires). */
export function parsePairs(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    if (at > 0) found[pair.slice(0, at).trim()] = decoded(pair.slice(at + 1).trim());
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign is taken literally.
    return text;
  }
}

const CUMULATIVE = 2;

/** Times are epoch nanoseconds as text. Labels without a value are left out. */
export function wireMetric(
  { name, row, samples }: SeriesState,
  times: { readonly startTimeUnixNano: string; readonly timeUnixNano: string },
) {
  const unit = unitOf(name);
  const about = { name, description: row.help, ...(unit === '' ? {} : { unit }) };
  const point = ({ labels, cell }: MetricSample) => {
    const named = Object.fromEntries(
      (row.labels ?? []).map((label, at) => [label, labels[at] || undefined]),
    );
    const common = { attributes: wireAttributes(named), ...times };
    if (!isHistogram(cell)) return { ...common, asDouble: cell.value };
    return {
      ...common,
      count: String(cell.counts.reduce((sum, count) => sum + count, 0)),
      sum: cell.sum,
      bucketCounts: cell.counts.map(String),
      explicitBounds: row.buckets ?? [],
    };
  };
  const dataPoints = samples.map(point);
  if (row.kind === 'histogram')
    return { ...about, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  if (row.kind === 'counter')
    return {
      ...about,
      sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints },
    };
  return { ...about, gauge: { dataPoints } };
}

function unitOf(name: string): string {
  if (name === 'gen_ai.client.token.usage') return '{token}';
  if (name.startsWith('gen_ai.') || /_seconds(_total)?$/.test(name)) return 's';
  return name.endsWith('_bytes') ? 'By' : '';
}
