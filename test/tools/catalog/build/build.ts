/** Builds the model catalogue from the copies of public catalogues, kept prices and corrections. */

import { definedFields } from '../../../../src/domain/defined-fields.ts';
import type {
  CatalogFile,
  ModelEntry,
} from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { type Correction, correctedDraft } from '../corrections.ts';
import { familyLimits } from '../family-limits.ts';
import { CATALOGUES, MAKER_PROVIDERS, makerOfName, TITLES } from '../makers.ts';
import type { Sources } from '../readers/all.ts';
import type { Facts, SourceModel } from '../source-model.ts';
import { completedDraft } from './complete.ts';
import { type Draft, mergedFacts } from './draft.ts';
import { compareNames, groupedEntries } from './group.ts';
import { type Hosts, hostsByName, hostVariants, medianPrice } from './hosts.ts';
import { mergedPrice } from './merge.ts';
import { bedrockName } from './names.ts';
import { type OwnModels, ownModels, wantedNames } from './own-models.ts';

export function buildCatalog(
  sources: Sources,
  corrections: readonly Correction[],
  offered: readonly string[],
): CatalogFile {
  const hosts = hostsByName(sources.catalogues);
  const own = ownModels(sources, hosts);
  const drafts = wantedNames(sources, own, hosts, corrections, offered).flatMap((name) => {
    const corrected = correctedDraft(name, draftOf(name, own, hosts), corrections);
    return corrected ? [withHosts(completedDraft(corrected), hosts)] : [];
  });
  const dates = sources.catalogues.map(({ catalogue, date }) => [TITLES[catalogue], date] as const);
  const entries = groupedEntries(drafts, corrections);
  const names = new Set(entries.flatMap((entry) => entry.names.map((name) => name.toLowerCase())));
  return {
    sources: Object.fromEntries(dates),
    models: entries.map((entry) => withHostIds(entry, hosts, names)).toSorted(byMakerAndName),
  };
}

/** One model per line, so that changes can be reviewed. */
export function catalogText({ sources, models }: CatalogFile): string {
  const lines = models.map((entry) => JSON.stringify(entry)).join(',\n');
  return `{"sources":${JSON.stringify(sources)},"models":[\n${lines}\n]}\n`;
}

function draftOf(
  name: string,
  own: OwnModels,
  hosts: ReadonlyMap<string, Hosts>,
): Draft | undefined {
  const models = own.get(name.toLowerCase()) ?? [];
  const hosted = hosts.get(name.toLowerCase());
  const price = mergedPrice(models) ?? (hosted && medianPrice(hosted));
  if (price === undefined) return undefined;
  const facts = mergedFacts(models.length > 0 ? models : hostFacts(hosted));
  return {
    name,
    age: ageOf(price.source),
    maker: makerOf(name, models),
    ...price,
    ...sensibleLimits(name, facts),
  };
}

/** A host that stops offering a model does not retire it. */
function hostFacts(hosted: Hosts | undefined): readonly Facts[] {
  return [...(hosted?.prices.values() ?? [])].map(({ retired: _, ...facts }) => facts);
}

/** Newer catalogues are listed first; other prices come after all of them. */
function ageOf(source: string): number {
  const age = CATALOGUES.findIndex((catalogue) => source.startsWith(`${catalogue} `));
  return age < 0 ? CATALOGUES.length : age;
}

function makerOf(name: string, [first]: readonly SourceModel[]): string {
  const byProvider = Object.values(MAKER_PROVIDERS).find((table) => first && table[first.provider]);
  return makerOfName(name) ?? byProvider?.[first?.provider ?? ''] ?? 'other';
}

/** Catalogues give the dimension of an embedding as its output limit. */
const NO_ANSWER = /embed|rerank|bge-|moderation|m3e|voyage|whisper|^tts|gpt-image|chatgpt-image/;

function sensibleLimits(name: string, facts: Facts): Facts {
  const { output_limit = 0, ...rest } = facts;
  if (NO_ANSWER.test(name.toLowerCase())) return rest;
  const family = familyLimits(name);
  const context = facts.context ?? family?.context;
  const output = Math.max(output_limit, Math.min(family?.output ?? 0, context ?? 0));
  return {
    ...rest,
    ...definedFields({ context, output_limit: output > 0 ? output : undefined }),
  };
}

function withHosts(draft: Draft, hosts: ReadonlyMap<string, Hosts>): Draft {
  const hosted = hosts.get(draft.name.toLowerCase());
  if (hosted === undefined || draft.rates?.input === undefined) return draft;
  return { ...draft, variants: [...draft.variants, ...hostVariants(hosted, draft.rates)] };
}

/** Adds the names of hosts that the rules for names do not lead to the model. */
function withHostIds(
  entry: ModelEntry,
  hosts: ReadonlyMap<string, Hosts>,
  names: ReadonlySet<string>,
): ModelEntry {
  const ids = entry.names.flatMap((name) => hosts.get(name.toLowerCase())?.ids ?? []);
  const unknown = ids.map(bedrockName).filter((id) => !names.has(id.toLowerCase()));
  const byKey = new Map(unknown.map((id) => [id.toLowerCase(), id]));
  return { ...entry, names: [...entry.names, ...[...byKey.values()].sort(compareNames)] };
}

function byMakerAndName(a: ModelEntry, b: ModelEntry): number {
  return compareNames(a.maker, b.maker) || compareNames(a.names[0] ?? '', b.names[0] ?? '');
}
