/** What makers sell themselves, by model name, and which names the catalogue has. */
import type { Correction } from '../corrections.ts';
import { MAKER_PROVIDERS, makerOfName } from '../makers.ts';
import type { KeptRow, Sources } from '../readers/all.ts';
import { KEPT, type SourceModel } from '../source-model.ts';
import type { Hosts } from './hosts.ts';
import { hostedName, isDated, lastPart, undatedName } from './names.ts';

/** By name in lower case: the entries of the model's maker, newest first, then kept prices. */
export type OwnModels = ReadonlyMap<string, readonly SourceModel[]>;

export function ownModels(
  { catalogues, kept }: Sources,
  hosts: ReadonlyMap<string, Hosts>,
): OwnModels {
  const own = new Map<string, SourceModel[]>();
  const add = (model: SourceModel) => {
    const key = model.name.toLowerCase();
    own.set(key, [...(own.get(key) ?? []), model]);
  };
  for (const { catalogue, models } of catalogues) {
    const makers = MAKER_PROVIDERS[catalogue];
    for (const provider of Object.keys(makers))
      for (const model of models)
        if (model.provider === provider && isOwn(model.name, makers[provider])) add(model);
  }
  for (const model of kept.flatMap(keptModels)) add(model);
  for (const [key, models] of own)
    if ((hosts.get(key)?.prices.size ?? 0) > 0) own.set(key, models.filter(isCurrent));
  return own;
}

/** Of a model that others host, these also list what its maker asked long ago, or a host asks. */
function isCurrent({ source }: SourceModel): boolean {
  return !NAMES_NO_MODELS.test(source);
}

/** Whether the provider sells the model as its maker, and not as a host. */
export function isOwn(name: string, maker: string | undefined): boolean {
  return !/[/:]/.test(name) && (makerOfName(name) ?? maker) === maker;
}

function keptModels({ names, rates = {}, variants = [], ...row }: KeptRow): SourceModel[] {
  return names.map((name) => ({ ...row, provider: KEPT, name, rates, variants }));
}

/** They also list retired models and names of resellers, so they name no models themselves. */
const NAMES_NO_MODELS = /^(litellm|genai-prices) /;
/** LiteLLM has the dated names of models. */
const NAMES_DATES = /^litellm /;

/** The names of the catalogue, as their makers write them. */
export function wantedNames(
  { served }: Sources,
  own: OwnModels,
  hosts: ReadonlyMap<string, Hosts>,
  corrections: readonly Correction[],
  offered: readonly string[],
): readonly string[] {
  const also = new Set(corrections.flatMap((row) => row.also ?? []).map((id) => id.toLowerCase()));
  const names = new Map<string, string>();
  const add = (name: string) => {
    const key = name.toLowerCase();
    if (!names.has(key) && !also.has(key)) names.set(key, own.get(key)?.[0]?.name ?? name);
  };
  for (const models of own.values())
    for (const { name, source } of models) if (!NAMES_NO_MODELS.test(source)) add(name);
  for (const { names: corrected } of corrections) corrected.map(add);
  const isFound = (id: string) =>
    [id.toLowerCase(), lastPart(id), hostedName(id)].some((name) => names.has(name)) ||
    also.has(id.toLowerCase()) ||
    also.has(lastPart(id));
  for (const id of [...served, ...offered])
    if (!isFound(id)) add(hosts.has(hostedName(id)) ? hostedName(id) : id);
  const known = new Set([...names.keys()].map(undatedName));
  for (const { name, source } of [...own.values()].flat())
    if (NAMES_DATES.test(source) && isDated(name) && known.has(undatedName(name))) add(name);
  return [...names.values()];
}
