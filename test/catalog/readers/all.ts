/** All catalogues, newest first, and the prices kept by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { ModelEntry } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { CATALOGUES, type Catalogue } from '../makers.ts';
import type { SourceModel } from '../source-model.ts';
import { type GenaiPricesFile, readGenaiPrices } from './genai-prices.ts';
import { type LiteLlmFile, readLiteLlm } from './litellm.ts';
import { type ModelsDevFile, readModelsDev } from './models-dev.ts';
import { type PiAiFile, readPiAi } from './pi-ai.ts';

export const SOURCE_FOLDER = new URL('../sources/', import.meta.url);

/** A price that no catalogue lists, from the vendor's page. */
export type KeptRow = Omit<ModelEntry, 'maker' | 'no_price'>;

export interface CatalogueModels {
  readonly catalogue: Catalogue;
  readonly date: string;
  readonly models: readonly SourceModel[];
}

export interface Sources {
  /** Newest first. */
  readonly catalogues: readonly CatalogueModels[];
  readonly kept: readonly KeptRow[];
  /** Model names that many providers list. */
  readonly served: readonly string[];
}

type Reader = (file: unknown, source: string) => readonly SourceModel[];

// The copies are our own, so their form is known.
const READERS: Readonly<Record<Catalogue, Reader>> = {
  'pi-ai': (file, source) => readPiAi(file as PiAiFile, source),
  'models.dev': (file, source) => readModelsDev(file as ModelsDevFile, source),
  'genai-prices': (file, source) => readGenaiPrices(file as GenaiPricesFile, source),
  litellm: (file, source) => readLiteLlm(file as LiteLlmFile, source),
};

export function readSources(): Sources {
  const files = CATALOGUES.map((catalogue) => ({ catalogue, ...newestFile(catalogue) }));
  return {
    catalogues: files
      .map(({ catalogue, date, file }) => ({
        catalogue,
        date,
        models: READERS[catalogue](file, `${catalogue} ${date}`),
      }))
      .sort((a, b) => b.date.localeCompare(a.date)),
    kept: JSON.parse(readFileSync(new URL('kept.json', SOURCE_FOLDER), 'utf8')),
    served: files.flatMap(({ catalogue, file }) =>
      catalogue === 'models.dev' ? (file as ModelsDevFile).served : [],
    ),
  };
}

export function fileName(catalogue: Catalogue): string {
  return catalogue.replace('.', '-');
}

function newestFile(catalogue: Catalogue): { readonly date: string; readonly file: unknown } {
  const prefix = `${fileName(catalogue)}-`;
  const name = readdirSync(SOURCE_FOLDER)
    .filter((file) => file.startsWith(prefix))
    .sort()
    .at(-1);
  if (name === undefined) throw new Error(`no copy of ${catalogue} in test/catalog/sources`);
  const content = gunzipSync(readFileSync(new URL(name, SOURCE_FOLDER)));
  return {
    date: name.slice(prefix.length, prefix.length + 'YYYY-MM-DD'.length),
    file: JSON.parse(content.toString()),
  };
}
