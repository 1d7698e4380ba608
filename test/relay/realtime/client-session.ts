/** A Realtime API client for tests: a WebSocket whose events are awaited one by one. */
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Site, SiteAnswer } from '../../support/site.ts';

export interface ServerEvent {
  readonly type: string;
  // Events have as many shapes as types; a test names the fields it reads.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly [field: string]: any;
}

export interface Ended {
  readonly code: number;
  readonly reason: string;
}

export interface SessionOptions {
  readonly model?: string;
  readonly key?: string;
  readonly path?: string;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export class ClientSession {
  readonly socket: WebSocket;
  readonly events: ServerEvent[] = [];
  requestId = '';
  ended: Ended | undefined;
  #read = 0;
  readonly #watchers = new Set<() => void>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.events.push(JSON.parse(String(data)));
      this.#changed();
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      this.ended = { code, reason: String(reason) };
      this.#changed();
    });
  }

  /** The next event of this type; earlier events are skipped. */
  next(type: string): Promise<ServerEvent> {
    return this.#until(`an event ${type}`, () => {
      const at = this.events.findIndex(
        (event, index) => index >= this.#read && event.type === type,
      );
      if (at < 0) return undefined;
      this.#read = at + 1;
      return this.events[at];
    });
  }

  /** Resolves when the connection closes. */
  end(): Promise<Ended> {
    return this.#until('the end', () => this.ended, false);
  }

  send(event: object): void {
    this.socket.send(JSON.stringify(event));
  }

  /** Sends a sentence and waits for the whole answer. */
  async exchange(text: string): Promise<ServerEvent> {
    this.sendText(text);
    this.send({ type: 'response.create' });
    return this.next('response.done');
  }

  sendText(text: string): void {
    const content = [{ type: 'input_text', text }];
    const item = { type: 'message', role: 'user', content };
    this.send({ type: 'conversation.item.create', item });
  }

  #until<T>(what: string, look: () => T | undefined, failsAtEnd = true): Promise<T> {
    return new Promise((resolve, reject) => {
      const again = () => {
        const found = look();
        if (found !== undefined) {
          this.#watchers.delete(again);
          resolve(found);
        } else if (failsAtEnd && this.ended !== undefined) {
          const seen = this.events.map((event) => JSON.stringify(event)).join('\n');
          reject(new Error(`${what} never came; ${this.ended.code} after\n${seen}`));
        }
      };
      this.#watchers.add(again);
      again();
    });
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }
}

function dial(site: Site, options: SessionOptions): WebSocket {
  const { model = 'gpt-realtime', key = site.token.key, path = '/v1/realtime' } = options;
  const query = model === '' ? '' : `?model=${encodeURIComponent(model)}`;
  return new WebSocket(
    `${site.url.replace('http', 'ws')}${path}${query}`,
    [...(options.protocols ?? [])],
    {
      headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...options.headers },
      maxPayload: 64 * 1024 * 1024,
    },
  );
}

/** Opens a session and waits until it is established. */
export function openSession(site: Site, options: SessionOptions = {}): Promise<ClientSession> {
  const socket = dial(site, options);
  const session = new ClientSession(socket);
  return new Promise((resolve, reject) => {
    socket.once('upgrade', (response) => {
      session.requestId = String(response.headers['x-request-id'] ?? '');
    });
    socket.once('open', () => resolve(session));
    socket.once('error', reject);
  });
}

/** The response to a session request that is refused before it begins. */
export function refused(site: Site, options: SessionOptions = {}): Promise<SiteAnswer> {
  const socket = dial(site, options);
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    socket.once('open', () => reject(new Error('it was opened')));
    socket.once('unexpected-response', (_request, response) => {
      readAnswer(response).then(resolve, reject);
    });
  });
}

async function readAnswer(response: IncomingMessage): Promise<SiteAnswer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  const bytes = Buffer.concat(parts);
  return {
    status: response.statusCode ?? 0,
    headers,
    requestId: headers['x-request-id'] ?? '',
    bytes,
    text: bytes.toString(),
  };
}
