/** The metrics of this process: counted by its observer, read and serialized at each scrape. */
import { lookupName } from '../domain/channels/model-names.ts';
import type { Relay } from '../relay/pipeline/relay-context.ts';
import { callFigures } from './call-figures.ts';
import { slugOf } from './channel-labels.ts';
import { Figures } from './figures.ts';
import type { Observer } from './observer.ts';
import { processFigures } from './process-figures.ts';
import type { Readings } from './readings.ts';
import type { SeriesState } from './series.ts';
import { workFigures } from './work-figures.ts';

export interface Metrics {
  readonly observer: Observer;
  /** Also exports the state of this relay and its site from now on. */
  watch(relay: Relay): Promise<void>;
  /** Reads the current value of all series. */
  read(): Promise<SeriesState[]>;
  stop(): void;
}

export function createMetrics(): Metrics {
  const figures = new Figures();
  const ofProcess = processFigures(figures);
  let relay: Relay | undefined;
  let readings: Readings | undefined;
  const typeOf = (channelId: number) => {
    const channel = relay?.routing.channel(channelId);
    return channel === undefined ? '' : slugOf(channel.type);
  };
  return {
    observer: { ...callFigures(figures, { typeOf }, lookupName), ...workFigures(figures) },
    async watch(watched) {
      relay = watched;
      readings = (await import('./readings.ts')).readings(figures, watched);
    },
    async read() {
      await Promise.all([ofProcess.read(), readings?.()]);
      return figures.states();
    },
    stop: () => ofProcess.stop(),
  };
}
