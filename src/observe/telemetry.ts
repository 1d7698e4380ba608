/**
 * Starts the metrics and traces that the configuration enables. Disabled parts are not loaded and
 * cost a call nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Relay } from '../relay/call/relay-ports.ts';
import type { Metrics } from './metrics.ts';
import { combineObservers, NO_OP_OBSERVER, type Observer } from './observer.ts';
import type { SeriesState } from './series.ts';

export interface Telemetry {
  readonly observer: Observer;
  /** Reads all series; undefined when they are not exposed. */
  readonly read: (() => Promise<readonly SeriesState[]>) | undefined;
  /** Starts with the serving relay, whose context provides the logger. */
  watch(relay: Relay): Promise<void>;
  /** Sends queued data, for a bounded time. */
  stop(): Promise<void>;
}

/** An unreachable collector must not delay the shutdown. */
const STOP_TIMEOUT_MS = 3_000;

interface TelemetryPart {
  readonly observer: Observer;
  watch(relay: Relay): Promise<void> | void;
  stop(): Promise<void> | void;
}

export async function openTelemetry(config: Config): Promise<Telemetry> {
  const parts: TelemetryPart[] = [];
  const isScraped = config.metricsPort !== undefined || config.metricsToken.open() !== '';
  const otlp = config.telemetryDisabled ? undefined : endpointsOf(config);
  const needsMetrics = isScraped || otlp?.metrics !== undefined;
  const metrics = needsMetrics ? (await import('./metrics.ts')).createMetrics() : undefined;
  if (metrics !== undefined) parts.push(metrics);
  const exports = otlp && (await openExports(config, otlp, metrics));
  parts.push(...(exports?.parts ?? []));
  if (config.accessLog) parts.push((await import('./access-log.ts')).createAccessLog());
  return {
    observer:
      parts.length === 0 ? NO_OP_OBSERVER : combineObservers(parts.map(({ observer }) => observer)),
    read: isScraped && metrics !== undefined ? () => metrics.read() : undefined,
    async watch(relay) {
      exports?.complaints.logTo(relay.ctx.log);
      for (const part of parts) await part.watch(relay);
    },
    async stop() {
      const stopped = Promise.allSettled(parts.map(async (part) => part.stop()));
      await Promise.race([stopped, pause(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

async function openExports(config: Config, { traces, metrics: url }: Endpoints, metrics?: Metrics) {
  if (traces === undefined && url === undefined) return undefined;
  const { CollectorHealth } = await import('./otlp/sender.ts');
  const complaints = new CollectorHealth();
  const parts: TelemetryPart[] = [];
  if (traces !== undefined) {
    const { createTraces } = await import('./otlp/traces.ts');
    parts.push(createTraces(config, traces, complaints));
  }
  if (url !== undefined && metrics !== undefined) {
    const { createMetricsExport } = await import('./otlp/metrics.ts');
    parts.push(createMetricsExport(config, url, { metrics, complaints }));
  }
  return { parts, complaints };
}

interface Endpoints {
  readonly traces: string | undefined;
  readonly metrics: string | undefined;
}

/** A signal-specific URL is used as it is; the common URL gets a path per signal (OTLP/HTTP). */
function endpointsOf(config: Config): Endpoints {
  const { otlpEndpoint: common } = config;
  const traces = config.otlpTracesEndpoint ?? (common && `${common}/v1/traces`);
  const metrics = config.otlpMetricsEndpoint ?? (common && `${common}/v1/metrics`);
  return {
    traces: config.tracesExporter === 'otlp' ? traces : undefined,
    metrics: config.metricsExporter === 'otlp' ? metrics : undefined,
  };
}
