/** What must hold before a catalogue replaces the previous one. */
import type {
  CatalogFile,
  ModelEntry,
  RateKind,
  Rates,
} from '../../../src/domain/pricing/catalog/model-entry.ts';
import { hasBase } from './build/draft.ts';
import { hostsByName } from './build/hosts.ts';
import { isSold } from './build/merge.ts';
import { bedrockName, lastPart } from './build/names.ts';
import { ownModels } from './build/own-models.ts';
import { type Correction, correctionsOf } from './corrections.ts';
import type { Sources } from './readers/all.ts';
import { differenceOf } from './source-model.ts';

/** A larger change, or difference between sources, needs a decision. */
const MUCH = 0.2;

/** Rates by model name. */
export type RatesByName = Readonly<Record<string, Rates>>;

export function entriesByName({ models }: CatalogFile): ReadonlyMap<string, ModelEntry> {
  return new Map(
    models.flatMap((entry) => entry.names.map((name) => [name.toLowerCase(), entry] as const)),
  );
}

/** The entry of a name as a provider writes it, such as `maker/model`. */
function entryOfId(entries: ReadonlyMap<string, ModelEntry>, id: string): ModelEntry | undefined {
  return [id, lastPart(id), bedrockName(id)]
    .map((name) => entries.get(name.toLowerCase()))
    .find((entry) => entry !== undefined);
}

export function unpricedNames(catalog: CatalogFile, names: readonly string[]): readonly string[] {
  const entries = entriesByName(catalog);
  return names.filter((name) => {
    const entry = entryOfId(entries, name);
    return !hasBase(entry?.rates) && entry?.no_price === undefined;
  });
}

export function lostPrices(catalog: CatalogFile, previous: RatesByName): readonly string[] {
  const entries = entriesByName(catalog);
  return Object.keys(previous).filter((name) => !hasBase(entries.get(name.toLowerCase())?.rates));
}

/** Rates that changed by more than a fifth or are gone, without a correction that says why. */
export function unexplainedMoves(
  catalog: CatalogFile,
  previous: RatesByName,
  corrections: readonly Correction[],
): readonly string[] {
  const entries = entriesByName(catalog);
  return Object.entries(previous).flatMap(([name, before]) => {
    const now = entries.get(name.toLowerCase())?.rates ?? {};
    return [...kindsThatDiffer(before, now), ...kindsWithout(before, now)]
      .filter((kind) => !isDecided(corrections, name, kind))
      .map((kind) => `${name}: ${kind} ${before[kind]} -> ${now[kind]}`);
  });
}

/** Sources that differ by more than a fifth from the newest one, without a decision. */
export function undecidedDifferences(
  sources: Sources,
  corrections: readonly Correction[],
  catalog: CatalogFile,
): readonly string[] {
  const entries = entriesByName(catalog);
  return [...ownModels(sources, hostsByName(sources.catalogues)).values()].flatMap((models) => {
    const [newest, ...others] = models.filter(isSold);
    if (newest === undefined || !entries.has(newest.name.toLowerCase())) return [];
    // Another price list of the maker in the same catalogue, such as that for China, is no doubt.
    const doubts = others.filter(({ source }) => source !== newest.source);
    return doubts.flatMap(({ source, rates }) =>
      kindsThatDiffer(newest.rates, rates)
        .filter((kind) => !isDecided(corrections, newest.name, kind))
        .map(
          (kind) =>
            `${newest.name}: ${kind} ${newest.rates[kind]} (${newest.source}), ${rates[kind]} (${source})`,
        ),
    );
  });
}

function kindsOf(rates: Rates): readonly RateKind[] {
  return Object.keys(rates) as RateKind[]; // keys of rates
}

function kindsWithout(before: Rates, now: Rates): readonly RateKind[] {
  return kindsOf(before).filter((kind) => now[kind] === undefined);
}

function kindsThatDiffer(one: Rates, other: Rates): readonly RateKind[] {
  return kindsOf(one).filter((kind) => {
    const [left = 0, right] = [one[kind], other[kind]];
    return right !== undefined && differenceOf(left, right) > MUCH;
  });
}

function isDecided(corrections: readonly Correction[], name: string, kind: RateKind): boolean {
  return correctionsOf(corrections, name).some(
    ({ rates, newest }) => rates?.[kind] !== undefined || newest?.includes(kind),
  );
}
