/** Stage 4: what the call asks for. The body is parsed once, here. */
import { clientDialect } from '../../dialects/all.ts';
import type { EmbeddingForm } from '../../dialects/hub/capabilities.ts';
import type { Dialect } from '../../dialects/hub/dialect.ts';
import type { HubRequest } from '../../dialects/hub/request.ts';
import { validateRequest } from '../../dialects/openai/validate.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import { filesOf, formFields, type MultipartForm } from '../../providers/form.ts';
import { isForm, readForm } from '../body/form-reader.ts';
import { refuseLongConversation } from '../body/long-conversation.ts';
import { type JsonBody, readJsonBody } from '../body/read-body.ts';
import { type IsRead, readFieldsOf } from '../body/read-fields.ts';
import { type Endpoint, headerOf, type Incoming, type Received } from './incoming-call.ts';

export type { JsonObject };

export interface Intent extends JsonBody {
  /** What the call asks for, defaults filled in. */
  readonly body: JsonObject;
  /** The name asked for, prefix included. */
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the usage of a stream (`stream_options.include_usage`). */
  readonly wantsUsage: boolean;
  readonly maxTokens: number | undefined;
  /** Read already, for a client of another dialect than chat. */
  readonly request?: HubRequest;
  /** The form that `sent` has the fields of. */
  readonly form?: MultipartForm;
  /** The client's own requests for embeddings, in Google's words. */
  readonly embeds?: readonly JsonObject[];
}

const MAX_TOKENS = 2 ** 30;

/** The body as the object it is, counted in the budget; see `readJsonBody`. @throws AppError body_*, field_wrong. */
export async function readSent(
  { body, upload }: Pick<Received, 'body' | 'upload'>,
  isRead: IsRead,
): Promise<JsonBody> {
  return readJsonBody(body, isRead, upload.hold);
}

/** @throws AppError body_*, field_missing, field_wrong: each names what must be mended. */
export async function readIntent(incoming: Received): Promise<Intent> {
  if (comesAsForm(incoming)) return readFormIntent(incoming);
  const json = await readSent(incoming, readFieldsOf(incoming.endpoint));
  const { raw, sent, source } = json;
  const dialect = clientDialect(incoming);
  if (dialect.embeddings !== undefined && incoming.endpoint === 'embeddings')
    return { raw, sent, source, ...readEmbeds(incoming, dialect.embeddings, sent) };
  if (!dialect.isNative) {
    refuseLongConversation(json);
    return { raw, sent, source, body: sent, ...readOther(incoming, dialect, sent) };
  }
  const filled = withModel(incoming, sent);
  validateRequest(incoming.endpoint, filled);
  const options = isObject(filled.stream_options) ? filled.stream_options : {};
  return {
    raw,
    sent,
    source,
    body: filled,
    model: String(filled.model),
    stream:
      incoming.endpoint === 'speech' ? filled.stream_format === 'sse' : filled.stream === true,
    wantsUsage: options.include_usage === true,
    maxTokens: maxTokensOf(filled),
  };
}

/** The files an endpoint cannot do without, by the names of their fields. */
const FILES: Readonly<Partial<Record<Endpoint, readonly string[]>>> = {
  imageEdits: ['image', 'image[]'],
  imageVariations: ['image'],
  transcriptions: ['file'],
  translations: ['file'],
};

/** What is priced and checked is what the upstream reads: no file may stand for one of these. */
const TEXTS: ReadonlySet<string> = new Set(['model', 'prompt', 'n', 'size', 'quality', 'stream']);

/** Edits may come as JSON as well, with pictures by address. @throws AppError body_not_form. */
function comesAsForm({ endpoint, headers }: Incoming): boolean {
  if (FILES[endpoint] === undefined) return false;
  if (isForm(headerOf(headers, 'content-type'))) return true;
  if (endpoint !== 'imageEdits') throw new AppError('body_not_form');
  return false;
}

async function readFormIntent(incoming: Received): Promise<Intent> {
  const { body: raw } = incoming;
  const form = await readForm(raw, headerOf(incoming.headers, 'content-type'));
  const sent = formFields(form);
  const body = withModel(incoming, typed(sent));
  for (const name of TEXTS)
    if (Array.isArray(sent[name])) throw wrong(name, 'it must be there only once');
  for (const { name } of filesOf(form))
    if (TEXTS.has(name)) throw wrong(name, 'it must be a text, not a file');
  validateRequest(incoming.endpoint, body);
  const names = FILES[incoming.endpoint] ?? [];
  if (!filesOf(form).some(({ name, bytes }) => names.includes(name) && bytes > 0)) {
    const field = names[0] ?? 'file';
    throw new AppError('field_missing', { field }, { param: field });
  }
  const stream = incoming.endpoint !== 'translations' && body.stream === true;
  const nothing = { source: '', raw, wantsUsage: true, maxTokens: undefined };
  return { ...nothing, sent, form, body, model: String(body.model), stream };
}

/** Forms know texts only; what they mean as numbers and switches is checked like JSON. */
function typed(fields: JsonObject): JsonObject {
  const { n, stream } = fields;
  const switches: Readonly<Record<string, boolean>> = { true: true, false: false };
  return {
    ...fields,
    ...(typeof n === 'string' ? { n: /^\d+$/.test(n) ? Number(n) : n } : {}),
    ...(typeof stream === 'string' ? { stream: switches[stream.toLowerCase()] ?? stream } : {}),
  };
}

/** Google's words for embeddings, as OpenAI's; the request itself is kept for upstreams of Google's. */
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

/** A request of another dialect says the same in other words. */
function readOther(
  { pathModel, pathAsks }: Incoming,
  dialect: Dialect,
  sent: JsonObject,
): Pick<Intent, 'model' | 'stream' | 'wantsUsage' | 'maxTokens' | 'request'> {
  const asked = { model: pathModel, stream: pathAsks?.stream };
  const request = dialect.readRequest(sent, asked);
  const { model, stream, maxTokens } = request;
  if (maxTokens !== undefined && maxTokens > MAX_TOKENS)
    throw wrong('max_tokens', `it must not be above ${MAX_TOKENS}`);
  return { model, stream, wantsUsage: true, maxTokens, request };
}

/** What older clients mean that name no model. */
const USUAL_MODELS: Readonly<Partial<Record<Endpoint, string>>> = {
  moderations: 'omni-moderation-latest',
  images: 'dall-e',
  imageEdits: 'dall-e',
  imageVariations: 'dall-e',
  speech: 'tts-1',
  transcriptions: 'whisper-1',
  translations: 'whisper-1',
};

/** The model may stand in the path, and on some endpoints requests may leave it out. */
function withModel({ pathModel, endpoint }: Incoming, body: JsonObject): JsonObject {
  if (body.model !== undefined && body.model !== null) return body;
  const model = pathModel ?? USUAL_MODELS[endpoint];
  return model === undefined ? body : { ...body, model };
}

function wrong(field: string, problem: string): AppError {
  return new AppError('field_wrong', { field, problem }, { param: field });
}

function maxTokensOf(body: JsonObject): number | undefined {
  const given = [body.max_tokens, body.max_completion_tokens].filter(
    (value) => typeof value === 'number' && value > 0,
  );
  return given.length === 0 ? undefined : Math.max(...given.map(Number));
}
