/** Stage 4: parses the body, once per call, and validates what it requests. */
import { clientDialect } from '../../dialects/all.ts';
import type { EmbeddingForm } from '../../dialects/hub/capabilities.ts';
import type { Dialect } from '../../dialects/hub/dialect.ts';
import type { HubRequest } from '../../dialects/hub/request/request.ts';
import { validateRequest } from '../../dialects/openai/validate.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { MultipartForm } from '../../providers/requests/multipart-form.ts';
import { refuseLongConversation } from '../body/long-conversation.ts';
import { type JsonBody, readJsonBody } from '../body/read-body.ts';
import { type IsRead, readFieldsOf } from '../body/read-fields.ts';
import type { Endpoint, Incoming, Received } from './incoming-call.ts';

export type { JsonObject };

export interface Intent extends JsonBody {
  /** The requested fields, with defaults filled in. */
  readonly body: JsonObject;
  /** The requested model name, prefix included. */
  readonly model: string;
  readonly stream: boolean;
  /** The client requests the usage of a stream (`stream_options.include_usage`). */
  readonly wantsUsage: boolean;
  readonly maxTokens: number | undefined;
  /** The client's own limit, if the gateway lowered it. */
  readonly askedTokens?: number | undefined;
  /** The parsed request of a client whose dialect is not chat. */
  readonly request?: HubRequest;
  readonly memo: RequestMemo;
  /** The multipart form that the fields of `sent` come from. */
  readonly form?: MultipartForm;
  /** The client's own embedding requests in Google's format. */
  readonly embeds?: readonly JsonObject[];
}

/**
 * The request that was last read from a chat body, and that body. Copies of an intent share it: one
 * with another body reads its own request.
 */
export interface RequestMemo {
  last: { readonly body: JsonObject; readonly request: HubRequest } | undefined;
}

export function emptyMemo(): RequestMemo {
  return { last: undefined };
}

const MAX_TOKENS = 2 ** 30;

/**
 * Parses the body as an object, counted in the budget; see `readJsonBody`.
 * @throws AppError body_*, field_wrong.
 */
export function readSent(
  { account, body, upload }: Pick<Received, 'account' | 'body' | 'upload'>,
  isRead: IsRead,
): Awaitable<JsonBody> {
  return readJsonBody(body, isRead, { account, hold: upload.hold });
}

/** @throws AppError body_*, field_missing, field_wrong: each names the invalid field. */
export async function readIntent(incoming: Received): Promise<Intent> {
  return intentOf(incoming, await readSent(incoming, readFieldsOf(incoming.endpoint)));
}

function intentOf(incoming: Received, json: JsonBody): Intent {
  const { raw, sent, source } = json;
  const memo = emptyMemo();
  const dialect = clientDialect(incoming);
  if (dialect.embeddings !== undefined && incoming.endpoint === 'embeddings')
    return { raw, sent, source, memo, ...readEmbeds(incoming, dialect.embeddings, sent) };
  if (!dialect.isNative) {
    refuseLongConversation(json);
    return { raw, sent, source, memo, body: sent, ...readOther(incoming, dialect, sent) };
  }
  const filled = withRequestedModel(incoming, sent);
  validateRequest(incoming.endpoint, filled);
  const options = isObject(filled.stream_options) ? filled.stream_options : {};
  return {
    raw,
    sent,
    source,
    memo,
    body: filled,
    model: String(filled.model),
    stream:
      incoming.endpoint === 'speech' ? filled.stream_format === 'sse' : filled.stream === true,
    wantsUsage: options.include_usage === true,
    maxTokens: maxTokensOf(withExtraBody(filled)),
  };
}

/**
 * The fields with those of `extra_body`, which SDKs merge into the body, and some servers as well.
 * @throws AppError field_wrong for a field in both places.
 */
export function withExtraBody(body: JsonObject): JsonObject {
  const { extra_body: extra } = body;
  if (!isObject(extra)) return body;
  const twice = Object.keys(extra).find((name) => Object.hasOwn(body, name));
  if (twice !== undefined) throw wrongField(`extra_body.${twice}`, 'repeated');
  return { ...extra, ...body };
}

/** Converts Google's embedding request to OpenAI's; the original is kept for Google upstreams. */
function readEmbeds(
  { pathModel = '', pathAsks }: Incoming,
  form: EmbeddingForm,
  sent: JsonObject,
): Pick<Intent, 'body' | 'model' | 'stream' | 'wantsUsage' | 'maxTokens' | 'embeds'> {
  const embeds = form.requests(sent, pathAsks?.isBatch === true);
  const body = form.read(embeds, pathModel);
  const nothing = { stream: false, wantsUsage: true, maxTokens: undefined };
  return { ...nothing, body, model: pathModel, embeds };
}

/** Reads a request of a dialect other than chat. */
function readOther(
  { pathModel, pathAsks }: Incoming,
  dialect: Dialect,
  sent: JsonObject,
): Pick<Intent, 'model' | 'stream' | 'wantsUsage' | 'maxTokens' | 'request'> {
  const pathParams = { model: pathModel, stream: pathAsks?.stream };
  const request = dialect.readRequest(sent, pathParams);
  const { model, stream, maxTokens } = request;
  if (maxTokens !== undefined && maxTokens > MAX_TOKENS)
    throw wrongField('max_tokens', 'too_large', { most: MAX_TOKENS });
  return { model, stream, wantsUsage: true, maxTokens, request };
}

/** Default models for older clients that name none. */
const DEFAULT_MODELS: Readonly<Partial<Record<Endpoint, string>>> = {
  moderations: 'omni-moderation-latest',
  images: 'dall-e',
  imageEdits: 'dall-e',
  imageVariations: 'dall-e',
  speech: 'tts-1',
  transcriptions: 'whisper-1',
  translations: 'whisper-1',
};

/** Adds the model from the path, or the default of endpoints where requests may omit it. */
export function withRequestedModel(
  { pathModel, endpoint }: Incoming,
  body: JsonObject,
): JsonObject {
  if (body.model !== undefined && body.model !== null) return body;
  const model = pathModel ?? DEFAULT_MODELS[endpoint];
  return model === undefined ? body : { ...body, model };
}

function maxTokensOf(body: JsonObject): number | undefined {
  const given = [body.max_tokens, body.max_completion_tokens].filter(
    (value) => typeof value === 'number' && value > 0,
  );
  return given.length === 0 ? undefined : Math.max(...given.map(Number));
}
