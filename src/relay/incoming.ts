/** A model call as the relay gets it: plain values, whatever server received it. */
import type { Readable } from 'node:stream';

export type Endpoint = 'chat' | 'completions' | 'embeddings' | 'moderations';

export interface Incoming {
  readonly requestId: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  /** A model named by the path (`/v1/engines/{model}/embeddings`). */
  readonly pathModel?: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As received, still encoded as `content-encoding` says. */
  readonly body: Buffer;
  /** The client's address by the site's proxy rule; '' when unknown. */
  readonly address: string;
  readonly client: ClientPresence;
  readonly receivedAtMs: number;
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
