/** All catalogues, newest first, and the prices kept by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { JsonFields } from '../../../../src/domain/json-fields.ts';
import type { ModelEntry } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { pricedVariants } from '../../../../src/domain/pricing/price-file/offer.ts';
import { CATALOGUES, type Catalogue } from '../makers.ts';
import type { CatalogueOffer, SourceModel } from '../source-model.ts';
import { ratesOf } from './amounts.ts';
import { readGenaiPrices } from './genai-prices.ts';
import { readLiteLlm } from './litellm.ts';
import { readModelsDevFacts } from './models-dev.ts';
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

type Reader = (file: unknown, date: string) => readonly CatalogueOffer[];

/** A copy of models.dev. */
interface ModelsDevCopy {
  readonly providers: JsonFields;
  /** Model names that at least five providers list. */
  readonly served: readonly string[];
}

// The copies are our own, so their form is known.
const READERS: Readonly<Record<Catalogue, Reader>> = {
  'pi-ai': (file) => readPiAi(file as PiAiFile),
  'models.dev': (file) => readModelsDevFacts((file as ModelsDevCopy).providers),
  'genai-prices': (file, date) => readGenaiPrices(file as readonly unknown[], date),
  litellm: (file) => readLiteLlm(file as JsonFields),
};

/** Without amounts out of range. */
function sourceModel(offer: CatalogueOffer, source: string): SourceModel {
  const variants = offer.variants.map(({ rates = {}, ...one }) => ({
    ...one,
    rates: ratesOf(rates),
  }));
  return { ...offer, source, rates: ratesOf(offer.rates), variants: pricedVariants(variants) };
}

export function readSources(): Sources {
  const files = CATALOGUES.map((catalogue) => ({ catalogue, ...newestFile(catalogue) }));
  return {
    catalogues: files
      .map(({ catalogue, date, file }) => ({
        catalogue,
        date,
        models: READERS[catalogue](file, date).map((offer) =>
          sourceModel(offer, `${catalogue} ${date}`),
        ),
      }))
      .sort((a, b) => b.date.localeCompare(a.date)),
    kept: JSON.parse(readFileSync(new URL('kept.json', SOURCE_FOLDER), 'utf8')),
    served: files.flatMap(({ catalogue, file }) =>
      catalogue === 'models.dev' ? (file as ModelsDevCopy).served : [],
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
  if (name === undefined) throw new Error(`no copy of ${catalogue} in test/tools/catalog/sources`);
  const content = gunzipSync(readFileSync(new URL(name, SOURCE_FOLDER)));
  return {
    date: name.slice(prefix.length, prefix.length + 'YYYY-MM-DD'.length),
    file: JSON.parse(content.toString()),
  };
}
