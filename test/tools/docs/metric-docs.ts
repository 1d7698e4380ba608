/** Generates the tables of `docs/observability.md` from the catalogue, between two markers. */
import { SERIES_GROUPS } from '../../../src/observe/catalogue.ts';
import type { SeriesRow } from '../../../src/observe/series.ts';

const BEGIN = '<!-- series: printed by npx tsx test/tools/docs/print-docs.ts -->';
const END = '<!-- end of series -->';

/** Returns the page with its tables updated from the catalogue. */
export function observabilityMarkdown(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error('the page has no section for the series');
  return `${page.slice(0, from)}${BEGIN}\n\n${tables()}\n${page.slice(to)}`;
}

function tables(): string {
  return SERIES_GROUPS.map(({ title, series }) => {
    const rows = Object.entries<SeriesRow>(series).map(
      ([name, { kind, labels = [], help }]) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    );
    const head = ['| Series | Kind | Labels | Meaning |', '|---|---|---|---|'];
    return `### ${title}\n\n${[...head, ...rows].join('\n')}\n`;
  }).join('\n');
}
