/** The metrics of this process: counted by its observer, read and serialized at each scrape. */
import { lookupName } from '../domain/channels/model-names.ts';
import type { Relay } from '../relay/call/relay-ports.ts';
import { callMetrics } from './call-metrics.ts';
import { channelTypeSlug } from './channel-labels.ts';
import type { GaugeReader } from './gauge-reader.ts';
import { MetricRegistry } from './metric-registry.ts';
import type { Observer } from './observer.ts';
import { processMetrics } from './process-metrics.ts';
import type { SeriesState } from './series.ts';
import { siteMetrics } from './site-metrics.ts';

export interface Metrics {
  readonly observer: Observer;
  /** Also exports the state of this relay and its site from now on. */
  watch(relay: Relay): Promise<void>;
  /** Reads the current value of all series. */
  read(): Promise<SeriesState[]>;
  stop(): void;
}

export function createMetrics(): Metrics {
  const figures = new MetricRegistry();
  const ofProcess = processMetrics(figures);
  let relay: Relay | undefined;
  let readings: GaugeReader | undefined;
  const typeOf = (channelId: number) => {
    const channel = relay?.routing.channel(channelId);
    return channel === undefined ? '' : channelTypeSlug(channel.type);
  };
  return {
    observer: { ...callMetrics(figures, { typeOf }, lookupName), ...siteMetrics(figures) },
    async watch(watched) {
      relay = watched;
      readings = (await import('./gauge-reader.ts')).createGaugeReader(figures, watched);
    },
    async read() {
      await Promise.all([ofProcess.read(), readings?.()]);
      return figures.states();
    },
    stop: () => ofProcess.stop(),
  };
}
