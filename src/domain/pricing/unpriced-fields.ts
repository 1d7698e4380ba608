/**
 * The request fields that choose a model, its host or a paid extra, none of which has a price here.
 * They are removed: the gateway itself chooses among models and channels.
 */
import { isFields, type JsonFields } from '../json-fields.ts';

/** What remains of each field; undefined: nothing. */
const CHOOSING: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['models', nothing],
  ['route', nothing],
  ['preset', nothing],
  ['fallbacks', nothing],
  ['compound_custom', nothing],
  ['provider', (value: unknown) => parts(value, (name) => DATA_RULES.has(name))],
  ['providerOptions', (value: unknown) => parts(value, (name) => name !== 'gateway')],
  ['plugins', pricedPlugins],
  ['extra_body', (value: unknown) => (isFields(value) ? withoutUnpriced(value) : value)],
]);

function nothing(): undefined {
  return undefined;
}

/** OpenRouter's rules on the client's data, and on what a host must support. */
const DATA_RULES: ReadonlySet<string> = new Set([
  'data_collection',
  'zdr',
  'enforce_distillable_text',
  'require_parameters',
  'max_price',
]);

function parts(value: unknown, keeps: (name: string) => boolean): unknown {
  if (!isFields(value)) return undefined;
  const names = Object.keys(value);
  if (names.every(keeps)) return value;
  const kept = Object.entries(value).filter(([name]) => keeps(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const PRICED_PLUGINS: ReadonlySet<unknown> = new Set(['web', 'response-healing']);

function pricedPlugins(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const kept = value.filter((plugin) => isFields(plugin) && PRICED_PLUGINS.has(plugin.id));
  if (kept.length === value.length) return value;
  return kept.length === 0 ? undefined : kept;
}

/** The names in `body` of fields that are sent in another form, or not at all. */
export function unpricedNames(body: JsonFields): readonly string[] {
  const names = Object.keys(body).filter((name) => CHOOSING.has(name));
  return names.filter((name) => CHOOSING.get(name)?.(body[name]) !== body[name]);
}

/** The fields as they may be sent; the same object if all of them have a price. */
export function withoutUnpriced(body: JsonFields): JsonFields {
  const names = unpricedNames(body);
  if (names.length === 0) return body;
  const changed = Object.entries(body).flatMap(([name, value]) => {
    const sent = names.includes(name) ? CHOOSING.get(name)?.(value) : value;
    return sent === undefined ? [] : [[name, sent] as const];
  });
  return Object.fromEntries(changed);
}

/** The fields that must be parsed because the table names them. */
export const UNPRICED_FIELDS: readonly string[] = [...CHOOSING.keys()];
