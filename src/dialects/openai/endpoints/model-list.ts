/** Model lists: reads those of upstreams, and writes entries of the gateway's own. */
import { AppError } from '../../../domain/errors/errors.ts';
import { isObject, textIn } from '../../../json/read-json.ts';

/**
 * Fields with the list: OpenAI, Ollama and Cohere, Cloudflare, Bedrock, Vertex; GitHub and Together
 * return a bare list.
 */
const LISTS = [
  'data',
  'models',
  'result',
  'modelSummaries',
  'inferenceProfileSummaries',
  'publisherModels',
] as const;
/** Fields with the model name, in order of preference. */
const NAMES = ['id', 'model', 'modelId', 'inferenceProfileId', 'name'] as const;
/** Cloudflare's `id` is internal; requests use the name. */
const CLOUDFLARE_NAMES = ['name'] as const;

/**
 * The names in an upstream's response, in order and without duplicates.
 *
 * @throws AppError upstream_garbled if it contains no list.
 */
export function readModelList(json: unknown): string[] {
  return [...readModelEntries(json).keys()];
}

/** The names with the entries that they stand in; as `readModelList`. */
export function readModelEntries(json: unknown): ReadonlyMap<string, unknown> {
  const at = isObject(json) ? LISTS.find((name) => Array.isArray(json[name])) : undefined;
  const list = isObject(json) && at !== undefined ? json[at] : json;
  if (!Array.isArray(list)) throw new AppError('upstream_garbled');
  const fields = at === 'result' ? CLOUDFLARE_NAMES : NAMES;
  const entries = new Map<string, unknown>();
  for (const item of list) {
    const name = nameOf(item, fields);
    if (name !== undefined && !entries.has(name)) entries.set(name, item);
  }
  return entries;
}

function nameOf(item: unknown, fields: readonly string[]): string | undefined {
  if (typeof item === 'string') return item === '' ? undefined : item;
  const name = fields.map((field) => textIn(item, field)).find((text) => text !== undefined);
  // Google returns resource names.
  return name?.replace(/^(publishers\/[^/]+\/)?models\//, '');
}

/** A fixed value that existing clients compare; not the date of anything. */
export const MODEL_CREATED_SEC = 1_626_777_600;

const PERMISSION = {
  id: 'modelperm-gateway',
  object: 'model_permission',
  created: MODEL_CREATED_SEC,
  allow_create_engine: true,
  allow_sampling: true,
  allow_logprobs: true,
  allow_search_indices: false,
  allow_view: true,
  allow_fine_tuning: false,
  organization: '*',
  group: null,
  is_blocking: false,
} as const;

export interface ModelObject {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  /** The provider's slug; `custom` if no single provider owns the name. */
  readonly owned_by: string;
  readonly permission: readonly (typeof PERMISSION)[];
  readonly root: string;
  readonly parent: null;
}

/** One entry of `GET /v1/models`. */
export function modelObject(id: string, ownedBy = 'custom'): ModelObject {
  return {
    id,
    object: 'model',
    created: MODEL_CREATED_SEC,
    owned_by: ownedBy,
    permission: [PERMISSION],
    root: id,
    parent: null,
  };
}
