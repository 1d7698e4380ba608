/** Raw HTTP access: every byte as received, and how the connection ended. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface WireRequest {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly rawBody?: string;
}

export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body without HTTP chunking, still compressed. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The data of each read from the socket. */
  readonly reads: readonly Buffer[];
  /** `whole`: the end of the body arrived; `short`: FIN before it; `reset`: RST. */
  readonly end: 'whole' | 'short' | 'reset';
}

export const CHAT = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello there, 世界 🌍' }],
} as const;

export const STREAM = { ...CHAT, stream: true, stream_options: { include_usage: true } } as const;

function requestText(url: URL, request: WireRequest): string {
  const body = request.rawBody ?? (request.body === undefined ? '' : JSON.stringify(request.body));
  const head = [
    `${request.method ?? (body === '' ? 'GET' : 'POST')} ${request.path ?? '/v1/chat/completions'} HTTP/1.1`,
    `host: ${url.host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Opens a connection and writes the call without reading the response. */
export async function open(base: string, request: WireRequest): Promise<Socket> {
  const url = new URL(base);
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, 'connect');
  socket.write(requestText(url, request));
  return socket;
}

/** Reads until `isEnough` accepts the text so far; fails if the connection ends before. */
export async function readUntil(
  socket: Socket,
  isEnough: (text: string) => boolean,
): Promise<string> {
  let text = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    text += String(bytes);
    if (isEnough(text)) return text;
  }
  throw new Error(`the connection ended after: ${text}`);
}

/** Makes a call and reads the whole response. */
export async function see(base: string, request: WireRequest): Promise<Seen> {
  const socket = await open(base, {
    ...request,
    headers: { ...request.headers, connection: 'close' },
  });
  const reads: Buffer[] = [];
  let wasReset = false;
  socket.on('data', (bytes: Buffer) => reads.push(bytes));
  socket.on('error', () => {
    wasReset = true;
  });
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return seenOf(reads, wasReset);
}

function seenOf(reads: readonly Buffer[], wasReset: boolean): Seen {
  const all = Buffer.concat(reads);
  const split = all.indexOf('\r\n\r\n');
  const [first = '', ...lines] = all.subarray(0, Math.max(0, split)).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = split < 0 ? Buffer.alloc(0) : all.subarray(split + 4);
  const { bytes, isWhole } = bodyOf(rest, headers);
  const end = wasReset ? 'reset' : isWhole && split >= 0 ? 'whole' : 'short';
  return {
    status: Number(first.split(' ')[1]),
    headers,
    bytes,
    text: bytes.toString(),
    reads,
    end,
  };
}

function bodyOf(rest: Buffer, headers: Readonly<Record<string, string>>) {
  if (headers['transfer-encoding'] === 'chunked') return unchunked(rest);
  return { bytes: rest, isWhole: rest.length === Number(headers['content-length'] ?? 0) };
}

/** Decodes chunked encoding (RFC 9112 7.1). */
function unchunked(rest: Buffer): { bytes: Buffer; isWhole: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return { bytes: Buffer.concat(parts), isWhole: false };
    const size = Number.parseInt(rest.subarray(at, line).toString(), 16);
    if (size === 0) return { bytes: Buffer.concat(parts), isWhole: true };
    parts.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

/** The data of each event (WHATWG HTML 9.2.6), without comments and other fields. */
export function eventsIn(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  return lines.split('\n\n').flatMap((event) => {
    const data = event.split('\n').filter((line) => line.startsWith('data:'));
    return data.length === 0 ? [] : [data.map((line) => line.replace(/^data: ?/, '')).join('\n')];
  });
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

/** The fields of a chunk or non-streamed response that tests read. */
export interface Body {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta?: Delta;
    readonly message?: Delta;
    readonly text?: string;
    readonly finish_reason: string | null;
    readonly [field: string]: unknown;
  }[];
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Not validated: a wrong form shows as a failing expectation. */
export function bodyIn(text: string): Body {
  return JSON.parse(text) as Body;
}

export function chunksIn(text: string): Body[] {
  return eventsIn(text)
    .filter((data) => data !== '[DONE]')
    .map(bodyIn);
}

export function contentIn(chunks: readonly Body[], index = 0): string {
  const parts = chunks.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index));
  return parts.map((choice) => choice.delta?.content ?? choice.text ?? '').join('');
}
