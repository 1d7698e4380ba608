/** Prints the results: every value, then the table rows for docs/performance.md. */
import { type Figures, round } from './stand.ts';

type Rows = Readonly<Record<string, Figures>>;

export function printReport(report: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(report, null, 2));
  const lines = rowsOf(report);
  if (lines.length === 0) return;
  const head = ['| | upstream alone | nginx | gateway | goal |', '|---|--:|--:|--:|---|'];
  console.log(['', ...head, ...lines].join('\n'));
}

/** Each row shows its goal and the distance of the gateway from it. */
function rowsOf(report: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  const of = (name: string) => report[name] as Rows | undefined; // made by the parts of that name
  const times = (name: string, title: string, key: string, goal: string) => {
    const rows = of(name);
    if (rows === undefined) return;
    const ratio = figure(rows, 'gateway', key) / figure(rows, 'nginx', key);
    lines.push(line(title, rows, key, 'us', `${goal} x nginx: ${round(ratio)} x`));
  };
  const added = (name: string, title: string, key: string, goal: string) => {
    const rows = of(name);
    if (rows === undefined) return;
    const more = figure(rows, 'gateway', key) - figure(rows, 'direct', key);
    lines.push(line(title, rows, key, 'ms', `added ${goal}: ${round(more)} ms`));
  };
  times('plain', 'plain call, CPU', 'cpu_us_per_call', '4.5');
  added('added', 'plain call alone, p50', 'p50_ms', '0.7 ms');
  times('flushed', 'streamed event, each in a packet of its own, CPU', 'cpu_us_per_event', '1.25');
  times('burst', 'streamed event, in bursts, CPU', 'cpu_us_per_event', '1.25');
  added('first_token', 'first event with 32 streams, p50', 'first_p50_ms', '3 ms');
  const { postgres, idle_streams: idle } = report;
  if (postgres !== undefined) lines.push(postgresLine(postgres as Rows));
  if (idle !== undefined) {
    const { streams = 0, kb_per_stream: kb = 0 } = idle as Figures;
    lines.push(`| memory of an idle stream, of ${streams} | | | ${kb} KB | 50 KB |`);
  }
  if (report.plain !== undefined)
    lines.push(`| resident memory when idle | | | ${String(report.idle_rss_mb)} MB | |`);
  return lines;
}

function line(title: string, rows: Rows, key: string, unit: string, goal: string): string {
  const cells = ['direct', 'nginx', 'gateway'].map((side) => `${figure(rows, side, key)} ${unit}`);
  return `| ${[title, ...cells, goal].join(' | ')} |`;
}

function postgresLine(rows: Rows): string {
  const [sqlite, postgres] = ['sqlite', 'postgres'].map((side) =>
    figure(rows, side, 'cpu_us_per_call'),
  );
  const ratio = round((postgres ?? 0) / (sqlite ?? 1));
  return `| plain call on PostgreSQL, CPU (on SQLite ${sqlite} us) | | | ${postgres} us | 1.3 x SQLite: ${ratio} x |`;
}

function figure(rows: Rows, side: string, key: string): number {
  return rows[side]?.[key] ?? Number.NaN;
}
