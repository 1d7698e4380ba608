/** A model call as the relay gets it: plain values, whatever server received it. */
import type { Readable } from 'node:stream';
import { DIALECTS } from '../../dialects/all.ts';
import type { DialectName } from '../../dialects/hub/dialect.ts';
import type { CheckedEndpoint } from '../../dialects/openai/validate.ts';

/** Each has checks of its own. */
export type Endpoint = CheckedEndpoint;

export interface Incoming {
  readonly requestId: string;
  readonly endpoint: Endpoint;
  /** What the client speaks on the endpoint `chat`; absent: OpenAI's chat completions. */
  readonly dialect?: DialectName;
  /** What the path asks for beside the model (Gemini). */
  readonly pathAsks?: {
    readonly stream: boolean;
    readonly asList: boolean;
    /** Embeddings of several texts. */
    readonly isBatch?: boolean;
  };
  readonly method: string;
  readonly path: string;
  /** Below the endpoint's path: an action that only an upstream of the same dialect knows. */
  readonly pathTail?: 'compact';
  /** A model named by the path (`/v1/engines/{model}/embeddings`). */
  readonly pathModel?: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly upload: Upload;
  /** The client's address by the site's proxy rule; '' when unknown. */
  readonly address: string;
  readonly client: ClientPresence;
  readonly receivedAtMs: number;
  /** The request that opened the session this call is a part of. */
  readonly sessionId?: string;
}

/** A call with its body, unpacked. */
export interface Received extends Incoming {
  readonly body: Buffer;
}

/** The body, which nobody has read yet. */
export interface Upload {
  /** As the client announces it; infinite where it does not say, and where it is packed. */
  readonly announcedBytes: number;
  /**
   * Reads and unpacks all of it, once, on the account of a user (0 is nobody's).
   * @throws AppError body_too_large, body_share_full, body_budget_full, body_too_slow,
   * body_encoding_unknown, body_encoding_broken; ClientLeft.
   */
  read(account: number, maxBytes: number): Promise<Buffer>;
  /**
   * Counts values made of the body, in the units of `BodyPlace.hold`, until `free`.
   * @throws AppError body_share_full, body_budget_full.
   */
  hold(units: number): void;
  /** The call needs its body no more: its bytes go back to the budget. Does nothing the second time. */
  free(): void;
}

const NO_BYTES = Buffer.alloc(0);

/** Of a request without a body. */
export const NO_UPLOAD: Upload = {
  announcedBytes: 0,
  read: async () => NO_BYTES,
  hold: () => undefined,
  free: () => undefined,
};

/** What people call the endpoint that was called, in logs. */
export function endpointName({
  endpoint,
  dialect,
}: {
  readonly endpoint: string;
  readonly dialect?: DialectName;
}): string {
  return endpoint === 'chat' ? DIALECTS[dialect ?? 'chat'].endpointName : endpoint;
}

/** Whether the client still listens. */
export interface ClientPresence {
  /** Epoch ms when the client left; undefined while it is there. */
  readonly leftAtMs: number | undefined;
  /** Calls back once, when the client leaves; at once if it has. */
  onLeave(callback: () => void): void;
}

export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | Readable;
}

export function headerOf(headers: Incoming['headers'], name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Whether the client is one of Anthropic's API, on an address that other dialects share. */
export function speaksAnthropic({ headers }: Pick<Incoming, 'headers'>): boolean {
  if (headerOf(headers, 'anthropic-version') !== '') return true;
  return headerOf(headers, 'x-api-key').trim() !== '' && headers.authorization === undefined;
}

/** Of two keys Anthropic takes its own header's. */
export function withAnthropicKey(call: Incoming): Incoming {
  const { authorization: _, ...headers } = call.headers;
  return headerOf(headers, 'x-api-key').trim() === '' ? call : { ...call, headers };
}
