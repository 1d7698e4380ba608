/**
 * `npm run catalog`: builds `src/domain/pricing/catalog/models.json` and prints the rates that moved
 * much without a correction. `--reduce <folder>` first takes newer copies of the catalogues,
 * `--audit` compares the result with each of them. `--approve` builds nothing: it makes the present
 * rates those that later ones are compared with.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { CatalogFile } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { auditLines } from './audit.ts';
import { buildCatalog, catalogText } from './build/build.ts';
import { unexplainedMoves } from './checks.ts';
import { readCorrections } from './corrections.ts';
import { CATALOG_FILE, offeredNames, PREVIOUS_FILE, ratesText, readPrevious } from './files.ts';
import { readSources } from './readers/all.ts';
import { reduceSources } from './reduce.ts';

const { values } = parseArgs({
  options: {
    reduce: { type: 'string' },
    audit: { type: 'boolean' },
    approve: { type: 'boolean' },
  },
});

if (values.approve) approve();
else build();

function build(): void {
  if (values.reduce !== undefined) reduceSources(values.reduce);
  const sources = readSources();
  const corrections = readCorrections();
  const catalog = buildCatalog(sources, corrections, offeredNames());
  writeFileSync(CATALOG_FILE, catalogText(catalog));
  const moves = unexplainedMoves(catalog, readPrevious(), corrections);
  const audit = values.audit ? auditLines(catalog, sources) : [];
  print([`${catalog.models.length} models`, ...moves, ...audit]);
}

function approve(): void {
  const catalog: CatalogFile = JSON.parse(readFileSync(CATALOG_FILE, 'utf8'));
  writeFileSync(PREVIOUS_FILE, ratesText(catalog));
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
