/**
 * `npm run catalog`: builds `src/domain/pricing/catalog/models.json`. `--reduce <folder>` first takes
 * newer copies of the catalogues, `--audit` compares the catalogue with each of them, `--approve`
 * makes the present rates those that the next change is compared with.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildCatalog, catalogText } from './build.ts';
import { readCorrections } from './corrections.ts';
import { offeredNames } from './offered.ts';
import { readSources } from './readers/all.ts';
import { reduceSources } from './reduce.ts';

const CATALOG_FILE = new URL('../../src/domain/pricing/catalog/models.json', import.meta.url);

const { values } = parseArgs({
  options: {
    reduce: { type: 'string' },
    audit: { type: 'boolean' },
    approve: { type: 'boolean' },
  },
});
if (values.reduce !== undefined) reduceSources(values.reduce);
const sources = readSources();
const catalog = buildCatalog(sources, readCorrections(), offeredNames());
writeFileSync(CATALOG_FILE, catalogText(catalog));
