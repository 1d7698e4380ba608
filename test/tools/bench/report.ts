/** Prints the table rows for docs/performance.md. */
import type { Figures } from './environment/environment.ts';
import { round } from './load.ts';

type Report = Readonly<Record<string, unknown>>;

const SIDES = ['direct', 'nginx', 'bare', 'floor', 'gateway'] as const;
type SideName = (typeof SIDES)[number];

interface Line {
  readonly part: string;
  readonly title: string;
  readonly key: string;
  readonly unit: string;
  /** Compares the gateway with other sides. */
  readonly comparison?: (of: (side: string) => number) => string;
}

const over =
  (...others: readonly SideName[]) =>
  (of: (side: string) => number) =>
    others.map((other) => `${round(of('gateway') / of(other))} x ${other}`).join(', ');

const added = (of: (side: string) => number) =>
  `floor ${round(of('floor') - of('direct'))} ms more, gateway ${round(of('gateway') - of('direct'))} ms more`;

const CPU = { key: 'cpu_us_per_call', unit: 'us' } as const;
const EVENT = { key: 'cpu_us_per_event', unit: 'us' } as const;

const LINES: readonly Line[] = [
  { part: 'plain', title: 'plain call, CPU', ...CPU, comparison: over('floor', 'nginx') },
  {
    part: 'until_idle',
    title: 'the same until idle, hours counted',
    ...CPU,
    comparison: over('floor'),
  },
  { part: 'holds', title: 'the same with holds, SQLite', ...CPU, comparison: over('floor') },
  {
    part: 'flushed',
    title: 'streamed event, each in a packet of its own, CPU',
    ...EVENT,
    comparison: over('bare'),
  },
  { part: 'burst', title: 'streamed event, in bursts, CPU', ...EVENT, comparison: over('nginx') },
  { part: 'added', title: 'plain call alone, p50', key: 'p50_ms', unit: 'ms', comparison: added },
  { part: 'plain', title: 'plain call with 32 in flight, p50', key: 'p50_ms', unit: 'ms' },
  { part: 'plain', title: 'the same, p99', key: 'p99_ms', unit: 'ms' },
  { part: 'plain', title: 'the same, p99 / p50', key: 'p99_per_p50', unit: '' },
  {
    part: 'first_token',
    title: 'first event with 32 streams, p50',
    key: 'first_p50_ms',
    unit: 'ms',
  },
  { part: 'idle_rss', title: 'resident memory when idle', key: 'mb', unit: 'MB' },
  {
    part: 'bytes',
    title: 'database, SQLite, per call',
    key: 'bytes_per_call',
    unit: 'bytes',
  },
];

export function printReport(report: Report): void {
  const lines = [...LINES.flatMap((line) => lineOf(report, line)), ...otherLines(report)];
  const head = [
    '| | upstream alone | nginx | bare relay | floor | gateway | gateway compared |',
    '|---|--:|--:|--:|--:|--:|---|',
  ];
  if (report.plain !== undefined) console.log(['', ...head, ...lines].join('\n'));
}

function lineOf(report: Report, { part, title, key, unit, comparison }: Line): string[] {
  const rows = report[part] as Readonly<Record<string, Figures>> | undefined; // made by that part
  if (rows === undefined) return [];
  const of = (side: string) => rows[side]?.[key] ?? Number.NaN;
  const cells = SIDES.map((side) => (Number.isNaN(of(side)) ? '' : `${of(side)} ${unit}`.trim()));
  return [`| ${[title, ...cells, comparison?.(of) ?? ''].join(' | ')} |`];
}

/** Rows that have no sides, or sides of their own. */
function otherLines({ postgres, idle_streams: idle }: Report): string[] {
  const lines: string[] = [];
  if (postgres !== undefined) {
    const { rich, accounts } = postgres as Readonly<Record<string, Figures>>;
    const parts = (row: Figures | undefined) =>
      `${row?.cpu_us_per_call} us (node ${row?.node_us_per_call}, backends ${row?.backends_us_per_call})`;
    const ratio = round((accounts?.cpu_us_per_call ?? 0) / (rich?.cpu_us_per_call ?? 1));
    lines.push(
      `| plain call with holds on PostgreSQL, CPU | | | | | ${parts(accounts)} | ${ratio} x one rich account: ${parts(rich)} |`,
    );
  }
  if (idle !== undefined) {
    const { streams, kb_per_stream: kb } = idle as Figures;
    lines.push(`| memory of an idle stream, of ${streams} | | | | | ${kb} KB | |`);
  }
  return lines;
}
