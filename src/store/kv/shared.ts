/**
 * Shares counters between processes of one machine without Redis: the counters are in the parent
 * process, which the others query by messages. Calls made in one turn of the event loop are sent as
 * one message. A process that loses its channel counts for itself, so calls continue and are still
 * limited.
 */
import type { Kv } from './kv.ts';
import { createMemoryKv } from './memory.ts';

/** One end of a message channel between two processes. Messages are structured clones. */
export interface Line {
  /** False if the channel is closed. */
  send(message: KvMessage): boolean;
  onMessage(listener: (message: unknown) => void): void;
  onBroken(listener: () => void): void;
}

/** The type makes a missing method a compile error: it would be counted per process. */
const ASKED = {
  take: true,
  peek: true,
  room: true,
  record: true,
  clear: true,
  put: true,
  read: true,
  takeShare: true,
  renewShare: true,
  returnShare: true,
} as const satisfies Record<
  Exclude<keyof Kv, 'kind' | 'isUp' | 'redis' | 'publish' | 'subscribe' | 'close'>,
  true
>;

type Asked = keyof typeof ASKED;
type Call = readonly [Asked, ...unknown[]];

export type KvMessage =
  | { readonly kv: 'ask'; readonly id: number; readonly calls: readonly Call[] }
  /** Without answers: the query failed. */
  | { readonly kv: 'answer'; readonly id: number; readonly answers?: readonly unknown[] }
  | { readonly kv: 'publish'; readonly topic: string; readonly text: string };

interface Waiting {
  readonly call: Call;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createSharedKv(line: Line, now: () => number): Kv {
  const own = createMemoryKv(now);
  const asked = new Map<number, readonly Waiting[]>();
  const listeners = new Map<string, ((text: string) => void)[]>();
  let waiting: Waiting[] = [];
  let lastId = 0;

  const answerHere = (batch: readonly Waiting[]): void => {
    for (const { call, resolve, reject } of batch) run(own, call).then(resolve, reject);
  };
  const send = (): void => {
    const batch = waiting;
    waiting = [];
    const id = ++lastId;
    asked.set(id, batch);
    if (line.send({ kv: 'ask', id, calls: batch.map(({ call }) => call) })) return;
    asked.delete(id);
    answerHere(batch);
  };
  const ask =
    (name: Asked) =>
    (...given: unknown[]): Promise<never> =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(send);
        // The result has the type of the same method of the counters.
        waiting.push({ call: [name, ...given], resolve: resolve as Waiting['resolve'], reject });
      });
  const tell = (topic: string, text: string): void => {
    for (const listener of listeners.get(topic) ?? []) listener(text);
  };

  line.onMessage((message) => {
    if (!isKvMessage(message)) return;
    if (message.kv === 'publish') return tell(message.topic, message.text);
    if (message.kv !== 'answer') return;
    const batch = asked.get(message.id) ?? [];
    asked.delete(message.id);
    const { answers } = message;
    if (answers === undefined) answerHere(batch);
    else for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
  });
  line.onBroken(() => {
    for (const batch of asked.values()) answerHere(batch);
    asked.clear();
  });

  return {
    kind: 'shared',
    isUp: () => true,
    take: ask('take'),
    peek: ask('peek'),
    room: ask('room'),
    record: ask('record'),
    clear: ask('clear'),
    put: ask('put'),
    read: ask('read'),
    takeShare: ask('takeShare'),
    renewShare: ask('renewShare'),
    returnShare: ask('returnShare'),
    async publish(topic, text) {
      if (!line.send({ kv: 'publish', topic, text })) tell(topic, text);
    },
    async subscribe(topic, onMessage) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), onMessage]);
    },
    close: () => own.close(),
  };
}

export interface KvHost {
  /** Serves a process from now on, until its channel closes. */
  serve(line: Line): void;
  close(): Promise<void>;
}

/** The parent's end: one set of counters for all processes. */
export function createKvHost(now: () => number): KvHost {
  const kv = createMemoryKv(now);
  const lines = new Set<Line>();
  return {
    serve(line) {
      lines.add(line);
      line.onBroken(() => lines.delete(line));
      line.onMessage((message) => {
        if (!isKvMessage(message)) return;
        if (message.kv === 'publish') for (const each of lines) each.send(message);
        else if (message.kv === 'ask') void answer(kv, line, message.id, message.calls);
      });
    },
    close: () => kv.close(),
  };
}

async function answer(kv: Kv, line: Line, id: number, calls: readonly Call[]): Promise<void> {
  try {
    line.send({ kv: 'answer', id, answers: await Promise.all(calls.map((call) => run(kv, call))) });
  } catch {
    // Another version may call an unknown method; that process then counts for itself.
    line.send({ kv: 'answer', id });
  }
}

async function run(kv: Kv, [name, ...given]: Call): Promise<unknown> {
  const method: (...given: never[]) => Promise<unknown> = kv[name];
  // Both ends have the same version, so the arguments match the method.
  return method.apply(kv, given as never[]);
}

function isKvMessage(message: unknown): message is KvMessage {
  return typeof message === 'object' && message !== null && 'kv' in message;
}
