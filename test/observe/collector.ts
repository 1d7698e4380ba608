/** A minimal OpenTelemetry collector for OTLP/HTTP in JSON that stores what it receives. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface CollectedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

export interface CollectedMetric {
  readonly name: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly CollectedPoint[];
}

export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Latest value of each metric, by name. */
  readonly metrics: Map<string, CollectedMetric>;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  readonly resource: Record<string, unknown>;
  readonly bodies: string[];
  /** Status of all further responses. */
  status: number;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    collector.requests.push({ path: request.url ?? '', headers: request.headers });
    if (collector.status === 200) take(collector, JSON.parse(text), text);
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: new Map(),
    requests: [],
    resource: {},
    bodies: [],
    status: 200,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return collector;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the protocol, read as it is.
type Json = any;

function take(collector: Collector, body: Json, text: string): void {
  collector.bodies.push(text);
  for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
    Object.assign(collector.resource, attributesIn(resource.attributes));
    for (const { spans } of scopeSpans)
      for (const span of spans)
        collector.spans.push({ ...span, attributes: attributesIn(span.attributes) });
  }
  for (const { scopeMetrics } of body.resourceMetrics ?? [])
    for (const { metrics } of scopeMetrics)
      for (const metric of metrics) {
        const kind = ['sum', 'gauge', 'histogram'].find((one) => one in metric) as
          | CollectedMetric['kind']
          | undefined;
        if (kind === undefined) throw new Error(`no kind: ${JSON.stringify(metric)}`);
        const points = metric[kind].dataPoints.map((point: Json) => ({
          ...point,
          attributes: attributesIn(point.attributes),
        }));
        collector.metrics.set(metric.name, { name: metric.name, kind, points });
      }
}

function attributesIn(list: Json): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }: Json) => [key, valueIn(value)]));
}

function valueIn(value: Json): unknown {
  if ('intValue' in value) {
    if (typeof value.intValue !== 'string') throw new Error('an intValue must be text');
    return Number(value.intValue);
  }
  if ('arrayValue' in value) return value.arrayValue.values.map(valueIn);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
