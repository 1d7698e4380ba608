/**
 * Sends metrics to a collector: every series of the catalogue under its own name, and the three of
 * the conventions for generative AI.
 */
import type { Config } from '../../config.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { totalInput, totalOutput } from '../../domain/pricing/usage.ts';
import type { Relay } from '../../relay/call/relay-ports.ts';
import { MAX_MODELS } from '../call-metrics.ts';
import type { Metrics } from '../metrics.ts';
import { callOutcomeOf, NO_OP_OBSERVER, type ObservedEnd, type Observer } from '../observer.ts';
import {
  type HistogramCell,
  histogramFamily,
  type MetricFamily,
  recordInHistogram,
} from '../series.ts';
import { errorType, operationOf, providerName, SCHEMA_URL } from './gen-ai.ts';
import { type CollectorHealth, OtlpExporter } from './sender.ts';
import { nanosOf, resourceOf, SCOPE_NAME, wireMetric } from './wire.ts';

export interface MetricsExport {
  readonly observer: Observer;
  watch(relay: Relay): void;
  stop(): Promise<void>;
}

const LABELS = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'];

export function createMetricsExport(
  config: Config,
  url: string,
  { metrics, complaints }: { readonly metrics: Metrics; readonly complaints: CollectorHealth },
): MetricsExport {
  const sender = new OtlpExporter(config, url, complaints);
  const genAi = new GenAiMetrics();
  const startTimeUnixNano = nanosOf(Date.now());
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let resource: object | undefined;
  let version = '';
  const send = async (): Promise<void> => {
    if (resource === undefined) return;
    const series = [...genAi.states(), ...(await metrics.read())].filter(
      ({ samples }) => samples.length > 0,
    );
    const times = { startTimeUnixNano, timeUnixNano: nanosOf(Date.now()) };
    const list = series.map((state) => wireMetric(state, times));
    const scope = { name: SCOPE_NAME, version };
    // A lost export needs no retry: counters are cumulative, so the next one includes it.
    await sender.post({
      resourceMetrics: [
        { resource, scopeMetrics: [{ scope, metrics: list, schemaUrl: SCHEMA_URL }] },
      ],
    });
  };
  return {
    observer: {
      ...NO_OP_OBSERVER,
      callEnded: (end, _units, atMs) => genAi.recordCall(end, atMs),
    },
    watch({ ctx }) {
      resource = resourceOf(config, ctx);
      version = ctx.version;
      timer = setInterval(() => {
        sending = sending.then(send);
      }, config.metricExportMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}

/** Bounds recommended by the conventions. */
const DURATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const FIRST_TOKEN_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

class GenAiMetrics {
  readonly #usage = histogramFamily('gen_ai.client.token.usage', {
    kind: 'histogram',
    help: 'Tokens of a call.',
    labels: [...LABELS, 'gen_ai.token.type'],
    buckets: TOKENS,
  });
  readonly #duration = histogramFamily('gen_ai.client.operation.duration', {
    kind: 'histogram',
    help: 'From the request to the end of its answer.',
    labels: [...LABELS, 'error.type'],
    buckets: DURATION_SECONDS,
  });
  readonly #firstToken = histogramFamily('gen_ai.server.time_to_first_token', {
    kind: 'histogram',
    help: 'From the request to the first content of a stream.',
    labels: LABELS,
    buckets: FIRST_TOKEN_SECONDS,
  });
  readonly #models = new Set<string>();

  recordCall(end: ObservedEnd, atMs: number): void {
    const outcome = callOutcomeOf(end);
    const { usage, firstContentAtMs, call } = end;
    const { incoming, intent, attempts } = call;
    const { channel } = call.route;
    if (outcome === undefined || outcome === 'refused' || channel === undefined) return;
    const provider = providerName(channel.type);
    const labels = [operationOf(incoming.endpoint), provider, this.#modelOf(intent.model)];
    const last = attempts.at(-1);
    const isBad = outcome === 'failed' || outcome === 'upstream_broke';
    const error = isBad && last !== undefined ? errorType(last) : '';
    const { receivedAtMs } = incoming;
    recordValue(this.#duration, (atMs - receivedAtMs) / 1000, ...labels, error);
    if (firstContentAtMs > 0 && intent.stream)
      recordValue(this.#firstToken, (firstContentAtMs - receivedAtMs) / 1000, ...labels);
    if (usage === undefined || outcome === 'failed') return;
    recordValue(this.#usage, totalInput(usage), ...labels, 'input');
    recordValue(this.#usage, totalOutput(usage), ...labels, 'output');
  }

  states() {
    return [this.#usage, this.#duration, this.#firstToken].map((family) => family.state());
  }

  #modelOf(model: string): string {
    const name = lookupName(model);
    if (!this.#models.has(name) && this.#models.size >= MAX_MODELS) return 'other';
    this.#models.add(name);
    return name;
  }
}

function recordValue(
  family: MetricFamily<HistogramCell>,
  value: number,
  ...labels: readonly string[]
): void {
  recordInHistogram(family.labelled(...labels), family.row.buckets ?? [], Math.max(0, value));
}
