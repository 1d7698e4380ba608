/** Calls of tests, and what their answers contain. */
import type { Socket } from 'node:net';

export const CHAT = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello there, 世界 🌍' }],
} as const;

export const STREAM = { ...CHAT, stream: true, stream_options: { include_usage: true } } as const;

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

/** The answer of the upstream at `base` to a call that does not pass the gateway. */
export async function directAnswer(base: string, path: string, key: string, body: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, base), { method: 'POST', headers, body });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
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
