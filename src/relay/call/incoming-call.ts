/** A model call as the relay receives it: plain values, independent of the server. */
import type { Readable, Writable } from 'node:stream';
import { DIALECTS } from '../../dialects/all.ts';
import type { DialectName } from '../../dialects/hub/dialect.ts';
import type { CheckedEndpoint } from '../../dialects/openai/validate.ts';
import { acceptedLanguage, type Language } from '../../domain/languages.ts';

/** Each endpoint has its own checks. */
export type Endpoint = CheckedEndpoint;

export interface Incoming {
  readonly requestId: string;
  readonly endpoint: Endpoint;
  /** The client's dialect on the endpoint `chat`; absent: OpenAI's chat completions. */
  readonly dialect?: DialectName;
  /** What the path specifies besides the model (Gemini). */
  readonly pathAsks?: {
    readonly stream: boolean;
    readonly asList: boolean;
    /** Embeddings of several texts. */
    readonly isBatch?: boolean;
  };
  readonly method: string;
  readonly path: string;
  /** Path suffix for an action that only upstreams of the same dialect support. */
  readonly pathTail?: 'compact';
  /** The model named in the path (`/v1/engines/{model}/embeddings`). */
  readonly pathModel?: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly upload: Upload;
  /** The client's address according to the trusted proxy setting; '' when unknown. */
  readonly address: string;
  readonly client: ClientPresence;
  readonly receivedAtMs: number;
  /** Id of the request that opened the session this call belongs to. */
  readonly sessionId?: string;
}

/** A call with its decompressed body. */
export interface Received extends Incoming {
  readonly body: Buffer;
  /** The user who pays for its processing; 0 for none. */
  readonly account: number;
}

/** The body, not read yet. */
export interface Upload {
  /** The announced length; infinite when unknown or when the body is compressed. */
  readonly announcedBytes: number;
  /**
   * Reads and decompresses the whole body, once, and counts it for a user (0 = no user).
   * @throws AppError body_too_large, body_share_full, body_budget_full, body_too_slow,
   * body_encoding_unknown, body_encoding_broken; ClientLeft.
   */
  read(account: number, maxBytes: number): Promise<Buffer>;
  /**
   * Counts more bytes, of what the gateway adds to the body, until `free`.
   * @throws AppError body_needs_too_much, body_share_full, body_budget_full.
   */
  grow(bytes: number): void;
  /**
   * Counts values parsed from the body, in the units of `BodyReservation.hold`, until `free`.
   * @throws AppError body_share_full, body_budget_full.
   */
  hold(units: number): void;
  /**
   * Returns the body's bytes to the budget when the call no longer needs it. Does nothing when
   * called again.
   */
  free(): void;
}

const NO_BYTES = Buffer.alloc(0);

/** For a request without a body. */
export const NO_UPLOAD: Upload = {
  announcedBytes: 0,
  read: async () => NO_BYTES,
  grow: () => undefined,
  hold: () => undefined,
  free: () => undefined,
};

/** The endpoint's name in logs. */
export function endpointName({
  endpoint,
  dialect,
}: {
  readonly endpoint: string;
  readonly dialect?: DialectName;
}): string {
  return endpoint === 'chat' ? DIALECTS[dialect ?? 'chat'].endpointName : endpoint;
}

/** Whether the client is still connected. */
export interface ClientPresence {
  /** Epoch ms when the client disconnected; undefined while it is connected. */
  readonly leftAtMs: number | undefined;
  /** Calls back once when the client disconnects; immediately if it already has. */
  onLeave(callback: () => void): void;
}

export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | Readable | StreamedBody;
}

/** A body that writes itself at the client's pace, and ends the response. */
export interface StreamedBody {
  writeTo(client: Writable): void;
}

export function headerOf(headers: Incoming['headers'], name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** The language that the client names; undefined if it names none. */
export function callerLanguage({ headers }: Pick<Incoming, 'headers'>): Language | undefined {
  return acceptedLanguage(headerOf(headers, 'accept-language'));
}

/** Whether the client uses Anthropic's API on a path that other dialects share. */
export function isAnthropicCall({ headers }: Pick<Incoming, 'headers'>): boolean {
  if (headerOf(headers, 'anthropic-version') !== '') return true;
  return headerOf(headers, 'x-api-key').trim() !== '' && headers.authorization === undefined;
}

/** If a request has two keys, keeps the one in Anthropic's own header, as Anthropic does. */
export function withAnthropicKey(call: Incoming): Incoming {
  const { authorization: _, ...headers } = call.headers;
  return headerOf(headers, 'x-api-key').trim() === '' ? call : { ...call, headers };
}
