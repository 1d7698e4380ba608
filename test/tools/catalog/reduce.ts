/**
 * Reduces the original catalogues to the providers and fields that the builder reads, in their form, as
 * `sources/<catalogue>-<date>.json.gz`. A new copy replaces the older one.
 */
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isFields, type JsonFields } from '../../../src/domain/json-fields.ts';
import { lastPart } from './build/names.ts';
import { CATALOGUES, type Catalogue, HOST_PROVIDERS, MAKER_PROVIDERS } from './makers.ts';
import { fileName, SOURCE_FOLDER } from './readers/all.ts';

/** `folder` holds `models-dev-2026-09-28.json`, with or without `.gz`, and so on. */
export function reduceSources(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((file) => {
    const [, id, date] = /^(.+)-(\d{4}-\d{2}-\d{2})\.json(\.gz)?$/.exec(file) ?? [];
    const catalogue = CATALOGUES.find((one) => fileName(one) === id);
    if (catalogue === undefined || date === undefined) return [];
    const content = readFileSync(`${folder}/${file}`);
    const text = (file.endsWith('.gz') ? gunzipSync(content) : content).toString();
    const reduced = JSON.stringify(REDUCTIONS[catalogue](JSON.parse(text)));
    removeOlder(`${id}-`);
    const name = `${id}-${date}.json.gz`;
    writeFileSync(new URL(name, SOURCE_FOLDER), gzipSync(reduced, { level: 9 }));
    return [name];
  });
}

function removeOlder(prefix: string): void {
  for (const file of readdirSync(SOURCE_FOLDER))
    if (file.startsWith(prefix)) unlinkSync(new URL(file, SOURCE_FOLDER));
}

const REDUCTIONS: Readonly<Record<Catalogue, (file: unknown) => unknown>> = {
  'pi-ai': (file) =>
    pickedProviders(file, 'pi-ai', (models) =>
      mapped(models, (model) => picked(model, ['cost', 'contextWindow', 'maxTokens', 'input'])),
    ),
  'models.dev': (file) => ({
    providers: pickedProviders(file, 'models.dev', ({ models }) => ({
      models: mapped(models, (model) => picked(model, MODELS_DEV_FIELDS)),
    })),
    served: servedNames(file),
  }),
  'genai-prices': (file) =>
    list(file)
      .filter(({ id }) => isKept('genai-prices', String(id)))
      .map(({ id, models }) => ({
        id,
        models: list(models).map((model) =>
          picked(model, ['id', 'match', 'prices', 'context_window']),
        ),
      })),
  litellm: (file) =>
    Object.fromEntries(
      Object.entries(fields(file))
        .filter(([, model]) => isKept('litellm', String(fields(model).litellm_provider)))
        .map(([key, model]) => [key, pickedFacts(fields(model))]),
    ),
};

function fields(value: unknown): JsonFields {
  return isFields(value) ? value : {};
}

function list(value: unknown): readonly JsonFields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isKept(catalogue: Catalogue, provider: string): boolean {
  return provider in MAKER_PROVIDERS[catalogue] || provider in HOST_PROVIDERS[catalogue];
}

function pickedProviders(
  file: unknown,
  catalogue: Catalogue,
  reduce: (provider: JsonFields) => unknown,
): JsonFields {
  const kept = Object.entries(fields(file)).filter(([provider]) => isKept(catalogue, provider));
  return Object.fromEntries(kept.map(([id, provider]) => [id, reduce(fields(provider))]));
}

function mapped(models: unknown, reduce: (model: JsonFields) => JsonFields): JsonFields {
  const entries = Object.entries(fields(models));
  return Object.fromEntries(entries.map(([name, model]) => [name, reduce(fields(model))]));
}

function picked(model: JsonFields, names: readonly string[]): JsonFields {
  return Object.fromEntries(Object.entries(model).filter(([name]) => names.includes(name)));
}

const MODELS_DEV_FIELDS = [
  'cost',
  'limit',
  'modalities',
  'release_date',
  'open_weights',
  'experimental',
];

const FACTS =
  /cost|^(litellm_provider|mode|max_(in|out)put_tokens|deprecation_date|tiered_pricing)$/;

function pickedFacts(model: JsonFields): JsonFields {
  return Object.fromEntries(Object.entries(model).filter(([name]) => FACTS.test(name)));
}

const MANY_PROVIDERS = 5;

function servedNames(file: unknown): readonly string[] {
  const providers = new Map<string, Set<string>>();
  for (const [provider, { models }] of Object.entries(fields(file)).map(
    ([id, one]) => [id, fields(one)] as const,
  ))
    for (const id of Object.keys(fields(models))) {
      const name = lastPart(id);
      providers.set(name, (providers.get(name) ?? new Set()).add(provider));
    }
  return [...providers]
    .filter(([, names]) => names.size >= MANY_PROVIDERS)
    .map(([name]) => name)
    .sort();
}
