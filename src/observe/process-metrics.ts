/**
 * Metrics of the process itself: CPU, memory, event loop, garbage collection. Measured by Node,
 * read at each scrape.
 */
import { readdir } from 'node:fs/promises';
import {
  type EventLoopUtilization,
  monitorEventLoopDelay,
  PerformanceObserver,
  constants as perf,
  performance,
} from 'node:perf_hooks';
import type { MetricRegistry } from './metric-registry.ts';

const RESOLUTION_MS = 10;

export interface ProcessMetrics {
  read(): Promise<void>;
  stop(): void;
}

const GC_KINDS = new Map<unknown, string>([
  [perf.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [perf.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [perf.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [perf.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

export function processMetrics(figures: MetricRegistry): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const collections = watchGarbage(figures);
  let busy: EventLoopUtilization = performance.eventLoopUtilization();
  figures.set('nodejs_version_info', 1, process.version);
  figures.set('process_start_time_seconds', Math.round(performance.timeOrigin) / 1000);
  return {
    async read() {
      const { user, system } = process.cpuUsage();
      figures.set('process_cpu_user_seconds_total', user / 1e6);
      figures.set('process_cpu_system_seconds_total', system / 1e6);
      figures.set('process_cpu_seconds_total', (user + system) / 1e6);
      const memory = process.memoryUsage();
      figures.set('process_resident_memory_bytes', memory.rss);
      figures.set('nodejs_heap_size_total_bytes', memory.heapTotal);
      figures.set('nodejs_heap_size_used_bytes', memory.heapUsed);
      figures.set('nodejs_external_memory_bytes', memory.external);
      // The measurement includes the timer's own interval.
      const lag = (ns: number) => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1000);
      figures.set('nodejs_eventloop_lag_p50_seconds', lag(delay.percentile(50)));
      figures.set('nodejs_eventloop_lag_p99_seconds', lag(delay.percentile(99)));
      figures.set('nodejs_eventloop_lag_max_seconds', lag(delay.max));
      delay.reset();
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, busy);
      busy = now;
      figures.set('nodejs_eventloop_utilization_ratio', utilization);
      const files = await openFiles();
      if (files !== undefined) figures.set('process_open_fds', files);
    },
    stop() {
      delay.disable();
      collections.disconnect();
    },
  };
}

function watchGarbage(figures: MetricRegistry): PerformanceObserver {
  const meters = new Map<string, (seconds: number) => void>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = Object((entry as { detail?: unknown }).detail); // Node sets it on gc entries
      const name = GC_KINDS.get(kind) ?? 'other';
      const meter = meters.get(name) ?? figures.recorder('nodejs_gc_duration_seconds', name);
      meters.set(name, meter);
      meter(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}

/** Undefined where the system cannot list them. */
async function openFiles(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return undefined;
  }
}
