/** How far each catalogue agrees with the built one. */
import type { CatalogFile, RateKind } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { isSold } from './build/merge.ts';
import { isOwn } from './build/own-models.ts';
import { entriesByName } from './checks.ts';
import { MAKER_PROVIDERS } from './makers.ts';
import type { CatalogueModels, Sources } from './readers/all.ts';
import { isSameAmount, type SourceModel } from './source-model.ts';

const COMPARED = ['input', 'output', 'cache_read', 'audio_input', 'call', 'second'] as const;

/** Lines to print: counts by source, then what differs. */
export function auditLines(catalog: CatalogFile, { catalogues }: Sources): readonly string[] {
  const audits = catalogues.map((source) => ({ source, ...auditOf(catalog, source) }));
  return [
    ...audits.map(
      ({ source, agree, differ, unknown }) =>
        `${source.catalogue} ${source.date}: ${agree} agree, ${differ.length} differ, ${unknown.length} unknown`,
    ),
    ...audits.flatMap(({ differ }) => differ),
    ...audits.flatMap(({ source, unknown }) =>
      unknown.length > 0 ? [`unknown of ${source.catalogue}: ${unknown.join(' ')}`] : [],
    ),
  ];
}

function auditOf(catalog: CatalogFile, source: CatalogueModels) {
  const entries = entriesByName(catalog);
  const models = source.models.filter((model) => isSold(model) && isOfMaker(source, model));
  const known = models.filter(({ name }) => entries.has(name.toLowerCase()));
  const differ = known.flatMap((model) => {
    const rates = entries.get(model.name.toLowerCase())?.rates ?? {};
    const kinds = COMPARED.filter((kind) => differs(model.rates[kind], rates[kind]));
    const shown = kinds.map((kind: RateKind) => `${kind} ${rates[kind]}, not ${model.rates[kind]}`);
    return shown.length > 0 ? [`${model.name}: ${shown.join('; ')} (${model.source})`] : [];
  });
  return {
    agree: known.length - differ.length,
    differ,
    unknown: models.filter((model) => !known.includes(model)).map(({ name }) => name),
  };
}

function isOfMaker({ catalogue }: CatalogueModels, { provider, name }: SourceModel): boolean {
  const maker = MAKER_PROVIDERS[catalogue][provider];
  return maker !== undefined && isOwn(name, maker);
}

function differs(listed: number | undefined, built: number | undefined): boolean {
  return listed !== undefined && built !== undefined && !isSameAmount(listed, built);
}
