import { expect, it } from 'vitest';
import { exposition } from '../../src/observe/exposition.ts';
import {
  histogramFamily,
  mergeSeries,
  numberFamily,
  recordInHistogram,
  type SeriesState,
} from '../../src/observe/series.ts';
import { readScrape } from './scrape.ts';

const SECONDS = [0.5, 1];

function states(): SeriesState[] {
  const calls = numberFamily('calls_total', { kind: 'counter', help: 'Calls.', labels: ['model'] });
  calls.labelled('a "quoted"\nname\\').value += 2;
  const seconds = histogramFamily('took_seconds', {
    kind: 'histogram',
    help: 'Time.',
    buckets: SECONDS,
  });
  for (const value of [0.5, 0.7, 3]) recordInHistogram(seconds.labelled(), SECONDS, value);
  const oldest = numberFamily('age_seconds', { kind: 'gauge', help: 'Age.', across: 'max' });
  oldest.labelled().value = 7;
  const silent = numberFamily('silent', { kind: 'gauge', help: 'Nothing.' });
  return [calls, seconds, oldest, silent].map((family) => family.state());
}

it('writes the Prometheus text format', () => {
  expect(exposition(states())).toBe(
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{model="a \\"quoted\\"\\nname\\\\"} 2',
      '# HELP took_seconds Time.',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{le="0.5"} 1',
      'took_seconds_bucket{le="1"} 2',
      'took_seconds_bucket{le="+Inf"} 3',
      'took_seconds_sum 4.2',
      'took_seconds_count 3',
      '# HELP age_seconds Age.',
      '# TYPE age_seconds gauge',
      'age_seconds 7',
      '',
    ].join('\n'),
  );
});

it('adds up counters of two processes and takes the maximum of shared gauges', () => {
  // Serialized, as sent by another process.
  const other: SeriesState[] = JSON.parse(JSON.stringify(states()));
  const all = readScrape(exposition(mergeSeries([states(), other])));
  expect(all.sum('calls_total')).toBe(4);
  expect(all.value('took_seconds_bucket', { le: '0.5' })).toBe(2);
  expect(all.value('took_seconds_sum')).toBeCloseTo(8.4);
  expect(all.value('took_seconds_count')).toBe(6);
  expect(all.value('age_seconds')).toBe(7);
});
