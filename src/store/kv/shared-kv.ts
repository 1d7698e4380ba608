/**
 * Shares counters between processes of one machine without Redis: the counters are in the parent
 * process, which the others query by messages. Calls made in one turn of the event loop are sent as
 * one message. A process that loses its channel counts for itself, so calls continue and are still
 * limited.
 */
import type { Kv } from './kv.ts';
import { createMemoryKv } from './memory.ts';

/** One end of a message channel between two processes. Messages are structured clones. */
export interface ProcessChannel<Message> {
  /** False if the channel is closed. */
  send(message: Message): boolean;
  onMessage(listener: (message: unknown) => void): void;
  onBroken(listener: () => void): void;
}

/** `createSharedKv` does not compile without a method that counts: each process would count alone. */
const FORWARDED = [
  'take',
  'peek',
  'windowState',
  'record',
  'clear',
  'put',
  'read',
  'takePermit',
  'renewPermit',
  'returnPermit',
] as const;

type ForwardedMethod = (typeof FORWARDED)[number];
type ForwardedCall = readonly [ForwardedMethod, ...unknown[]];

export type KvMessage =
  | { readonly kv: 'ask'; readonly id: number; readonly calls: readonly ForwardedCall[] }
  /** Without answers: the query failed. */
  | { readonly kv: 'answer'; readonly id: number; readonly answers?: readonly unknown[] }
  | { readonly kv: 'publish'; readonly topic: string; readonly text: string };

interface PendingCall {
  readonly call: ForwardedCall;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createSharedKv(channel: ProcessChannel<KvMessage>, now: () => number): Kv {
  const own = createMemoryKv(now);
  const sent = new Map<number, readonly PendingCall[]>();
  const listeners = new Map<string, ((text: string) => void)[]>();
  let queue: PendingCall[] = [];
  let lastId = 0;

  const answerLocally = (batch: readonly PendingCall[]): void => {
    for (const { call, resolve, reject } of batch) run(own, call).then(resolve, reject);
  };
  const send = (): void => {
    const batch = queue;
    queue = [];
    const id = ++lastId;
    sent.set(id, batch);
    if (channel.send({ kv: 'ask', id, calls: batch.map(({ call }) => call) })) return;
    sent.delete(id);
    answerLocally(batch);
  };
  const forward =
    (name: ForwardedMethod) =>
    (...given: unknown[]): Promise<never> =>
      new Promise((resolve, reject) => {
        if (queue.length === 0) setImmediate(send);
        // The result has the type of the same method of the counters.
        queue.push({ call: [name, ...given], resolve: resolve as PendingCall['resolve'], reject });
      });
  const deliver = (topic: string, text: string): void => {
    for (const listener of listeners.get(topic) ?? []) listener(text);
  };

  channel.onMessage((message) => {
    if (!isKvMessage(message)) return;
    if (message.kv === 'publish') return deliver(message.topic, message.text);
    if (message.kv !== 'answer') return;
    const batch = sent.get(message.id) ?? [];
    sent.delete(message.id);
    const { answers } = message;
    if (answers === undefined) answerLocally(batch);
    else for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
  });
  channel.onBroken(() => {
    for (const batch of sent.values()) answerLocally(batch);
    sent.clear();
  });

  const forwarded = FORWARDED.map((name) => [name, forward(name)]);
  return {
    kind: 'shared',
    isUp: () => true,
    ...(Object.fromEntries(forwarded) as Pick<Kv, ForwardedMethod>), // one function per name
    async publish(topic, text) {
      if (!channel.send({ kv: 'publish', topic, text })) deliver(topic, text);
    },
    async subscribe(topic, onMessage) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), onMessage]);
    },
    close: () => own.close(),
  };
}

export interface KvHost {
  /** Serves a process from now on, until its channel closes. */
  serve(channel: ProcessChannel<KvMessage>): void;
  close(): Promise<void>;
}

/** The parent's end: one set of counters for all processes. */
export function createKvHost(now: () => number): KvHost {
  const kv = createMemoryKv(now);
  const channels = new Set<ProcessChannel<KvMessage>>();
  return {
    serve(channel) {
      channels.add(channel);
      channel.onBroken(() => channels.delete(channel));
      channel.onMessage((message) => {
        if (!isKvMessage(message)) return;
        if (message.kv === 'publish') for (const each of channels) each.send(message);
        else if (message.kv === 'ask') void answerCalls(kv, channel, message.id, message.calls);
      });
    },
    close: () => kv.close(),
  };
}

async function answerCalls(
  kv: Kv,
  channel: ProcessChannel<KvMessage>,
  id: number,
  calls: readonly ForwardedCall[],
): Promise<void> {
  try {
    channel.send({
      kv: 'answer',
      id,
      answers: await Promise.all(calls.map((call) => run(kv, call))),
    });
  } catch {
    // Another version may call an unknown method; that process then counts for itself.
    channel.send({ kv: 'answer', id });
  }
}

async function run(kv: Kv, [name, ...given]: ForwardedCall): Promise<unknown> {
  const method: (...given: never[]) => unknown = kv[name];
  // Both ends have the same version, so the arguments match the method.
  return method.apply(kv, given as never[]);
}

function isKvMessage(message: unknown): message is KvMessage {
  return typeof message === 'object' && message !== null && 'kv' in message;
}
