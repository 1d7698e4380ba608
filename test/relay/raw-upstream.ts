/**
 * An upstream that responds with exactly the bytes a test provides, for wire forms the fake
 * upstream does not support, and that reports how much was read.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { eventually } from '../support/site.ts';

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type RawAnswer = (response: ServerResponse, request: RawRequest) => unknown;

export interface RawUpstream {
  readonly url: string;
  readonly requests: RawRequest[];
  /** Sets the response to the next calls. */
  answer: RawAnswer;
  /** Responses whose connection is still open, completely written or not. */
  readonly open: ReadonlySet<ServerResponse>;
  close(): Promise<void>;
}

export async function rawUpstream(): Promise<RawUpstream> {
  const open = new Set<ServerResponse>();
  const upstream = {
    url: '',
    requests: [] as RawRequest[],
    answer: ((response) => response.end()) as RawAnswer, // until a test says otherwise
    open,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  const server = createServer(async (incoming, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    let body = '';
    for await (const part of incoming.setEncoding('utf8')) body += part;
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body };
    upstream.requests.push(request);
    await upstream.answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object') upstream.url = `http://127.0.0.1:${address?.port}`;
  return upstream;
}

export const SSE = { 'content-type': 'text/event-stream' } as const;

/** An event stream of these data, without adding `[DONE]`. */
export function streamed(...data: readonly (string | object)[]): RawAnswer {
  return (response) => response.writeHead(200, SSE).end(streamText(...data));
}

export function streamText(...data: readonly (string | object)[]): string {
  return data.map(eventText).join('');
}

/** A response with status 200 and this JSON (or text). */
export function whole(body: string | object, more: OutgoingHttpHeaders = {}): RawAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json', ...more };
  return (response) => response.writeHead(200, headers).end(text);
}

export function eventText(data: string | object): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Bytes of the connection passed to the operating system. */
export function bytesOut(response: ServerResponse): number {
  const { socket } = response;
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Writes `piece` repeatedly, respecting backpressure; stops when the reader disconnects. */
export async function pour(response: ServerResponse, piece: string, times: number): Promise<void> {
  for (let time = 0; time < times && !response.destroyed; time += 1) {
    if (!response.write(piece)) await drained(response);
  }
}

const STILL_PROBES = 20;

/** Resolves with the count once it has been stable over many checks. */
export async function standsStill(count: () => number): Promise<number> {
  let [last, unchanged] = [-1, 0];
  await eventually('a count stays the same', () => {
    const now = count();
    unchanged = now === last ? unchanged + 1 : 0;
    last = now;
    return unchanged >= STILL_PROBES;
  });
  return last;
}
