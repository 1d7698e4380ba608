/** Lists of models: those upstreams give, and the one the gateway gives. */
import { AppError } from '../../domain/errors/errors.ts';
import { isObject, textIn } from '../../json/read-json.ts';

/**
 * Where lists stand: OpenAI, Ollama and Cohere, Cloudflare, Bedrock, Vertex; GitHub and Together give
 * the bare list.
 */
const LISTS = [
  'data',
  'models',
  'result',
  'modelSummaries',
  'inferenceProfileSummaries',
  'publisherModels',
] as const;
/** What a model is called by, in the order of trust. */
const NAMES = ['id', 'model', 'modelId', 'inferenceProfileId', 'name'] as const;
/** Cloudflare's `id` is a number of its own; the name is what a call takes. */
const CLOUDFLARE_NAMES = ['name'] as const;

/**
 * The names in an upstream's answer, in its order, each once.
 *
 * @throws AppError upstream_garbled when there is no list in it.
 */
export function readModelList(json: unknown): string[] {
  const at = isObject(json) ? LISTS.find((name) => Array.isArray(json[name])) : undefined;
  const list = isObject(json) && at !== undefined ? json[at] : json;
  if (!Array.isArray(list)) throw new AppError('upstream_garbled');
  const fields = at === 'result' ? CLOUDFLARE_NAMES : NAMES;
  const names = list.flatMap((item: unknown) => nameOf(item, fields) ?? []);
  return [...new Set(names)];
}

function nameOf(item: unknown, fields: readonly string[]): string | undefined {
  if (typeof item === 'string') return item === '' ? undefined : item;
  const name = fields.map((field) => textIn(item, field)).find((text) => text !== undefined);
  // Google's are resource names.
  return name?.replace(/^(publishers\/[^/]+\/)?models\//, '');
}

/** Existing clients compare it: not a date of anything. */
export const CREATED_SEC = 1_626_777_600;

const PERMISSION = {
  id: 'modelperm-gateway',
  object: 'model_permission',
  created: CREATED_SEC,
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
  /** The provider's slug; `custom` when no one provider owns the name. */
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
    created: CREATED_SEC,
    owned_by: ownedBy,
    permission: [PERMISSION],
    root: id,
    parent: null,
  };
}
