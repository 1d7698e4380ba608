/** Stage 3: what the call asks for. The body is decoded and parsed once, here. */
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { validateRequest } from '../dialects/openai/validate.ts';
import { AppError } from '../domain/errors.ts';
import { isObject, type JsonObject } from '../providers/json.ts';
import { topMembers } from '../providers/json-edit.ts';
import { headerOf, type Incoming } from './incoming.ts';

export type { JsonObject };

export interface Intent {
  /** What the call asks for, defaults filled in. */
  readonly body: JsonObject;
  /** What the client sent, and the text it was read from. */
  readonly sent: JsonObject;
  readonly text: string;
  /** The decoded bytes the client sent: forwarded as they are when nothing must change. */
  readonly raw: Buffer;
  /** The name asked for, prefix included. */
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the usage of a stream (`stream_options.include_usage`). */
  readonly wantsUsage: boolean;
  readonly maxTokens: number | undefined;
}

/** Far beyond any schema, far below the engine's stack. */
const MAX_DEPTH = 500;

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const brotli = promisify(zlib.brotliDecompress);

/** @throws AppError body_*, field_missing, field_wrong: each names what must be mended. */
export async function readIntent(incoming: Incoming, maxBodyBytes: number): Promise<Intent> {
  const raw = await decode(incoming, maxBodyBytes);
  if (!isUtf8(raw)) throw new AppError('body_encoding_broken', { encoding: 'UTF-8' });
  const text = raw.toString('utf8');
  const sent = parseObject(text);
  const filled = withPathModel(incoming, sent);
  validateRequest(incoming.endpoint, filled);
  const options = isObject(filled.stream_options) ? filled.stream_options : {};
  return {
    body: filled,
    sent,
    text,
    raw,
    model: String(filled.model),
    stream: filled.stream === true,
    wantsUsage: options.include_usage === true,
    maxTokens: maxTokensOf(filled),
  };
}

/** The model may stand in the path, and moderation requests may leave it out. */
function withPathModel({ pathModel, endpoint }: Incoming, body: JsonObject): JsonObject {
  if (body.model !== undefined && body.model !== null) return body;
  if (pathModel !== undefined) return { ...body, model: pathModel };
  return endpoint === 'moderations' ? { ...body, model: 'omni-moderation-latest' } : body;
}

async function decode(incoming: Incoming, maxBodyBytes: number): Promise<Buffer> {
  const encoding = headerOf(incoming.headers, 'content-encoding').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return incoming.body;
  const limits = { maxOutputLength: maxBodyBytes };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return await gunzip(incoming.body, limits);
    if (encoding === 'br') return await brotli(incoming.body, limits);
    if (encoding === 'deflate') return await inflate(incoming.body, limits);
  } catch (cause) {
    const tooLarge =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    if (tooLarge) throw new AppError('body_too_large', { limit: maxBodyBytes }, { cause });
    throw new AppError('body_encoding_broken', { encoding }, { cause });
  }
  throw new AppError('body_encoding_unknown', { encoding });
}

function parseObject(text: string): JsonObject {
  if (text.trim() === '') throw new AppError('body_missing');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new AppError('body_not_json', { position: positionOf(cause) }, { cause });
  }
  if (!isObject(parsed)) throw new AppError('body_not_object');
  refuseTraps(text);
  return parsed;
}

/**
 * What parses and still does harm. Of a repeated name some readers take the first value and some the
 * last (RFC 8259 4), and the upstream must not read another model than the one that is priced; a value
 * nested without end has no text that could be sent on or logged.
 */
function refuseTraps(text: string): void {
  const names = new Set<string>();
  for (const { name, depth } of topMembers(text)) {
    if (names.has(name)) throw wrong(name, 'it must be there only once');
    if (depth > MAX_DEPTH) throw wrong(name, `it must not be nested deeper than ${MAX_DEPTH}`);
    names.add(name);
  }
}

function wrong(field: string, problem: string): AppError {
  return new AppError('field_wrong', { field, problem }, { param: field });
}

/** The engine's message quotes the body; only the position is passed on. */
function positionOf(cause: unknown): number {
  const found = cause instanceof Error ? /position (\d+)/.exec(cause.message) : null;
  return Number(found?.[1] ?? 0);
}

function maxTokensOf(body: JsonObject): number | undefined {
  const given = [body.max_tokens, body.max_completion_tokens].filter(
    (value) => typeof value === 'number' && value > 0,
  );
  return given.length === 0 ? undefined : Math.max(...given.map(Number));
}
