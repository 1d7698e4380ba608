/**
 * `npm run bench -- --soak MINUTES`: streams read to their end, streams aborted in the middle or
 * before the first byte, and plain calls, all at once. Retained memory is measured after a garbage
 * collection through the inspector; a heap that keeps growing fails the run.
 */
import { once, setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import WebSocket from 'ws';
import {
  type Gateway,
  PLAIN_MODEL,
  startGateway,
  startMock,
  verifyLedger,
} from './environment/environment.ts';
import { rssBytes } from './environment/processes.ts';
import { bodyOf, headersOf, median, round, type Target } from './load.ts';

const SAMPLES = 40;
const LONG_MODEL = `${PLAIN_MODEL}+paced:1500:20`;
const SLOW_MODEL = `${PLAIN_MODEL}+delay:500`;
const WORKERS = 120;
/**
 * Allowed ratio of the memory in the later half of the run to that in the earlier one, after
 * garbage collection.
 */
const ALLOWED_GROWTH = 1.05;
const ALLOWED_BYTES = 1024 * 1024;

interface Sample {
  readonly minute: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

interface Counts {
  finished: number;
  left: number;
  plain: number;
  failed: number;
}

/** @throws Error if memory grows from the middle of the run to its end, or a call fails. */
export async function soak(minutes: number): Promise<void> {
  if (!(minutes > 0)) throw new Error('--soak takes a number of minutes');
  const mock = await startMock();
  const gateway = await startGateway(mock.url, {
    withPairs: false,
    extraModels: [LONG_MODEL, SLOW_MODEL],
    nodeFlags: ['--inspect=127.0.0.1:0'],
  });
  try {
    const counts = { finished: 0, left: 0, plain: 0, failed: 0 };
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const [samples] = await Promise.all([
      sample(gateway, minutes).finally(() => stop.abort()),
      loadUntil(stop.signal, gateway, counts),
    ]);
    await verifyLedger(gateway, 'the soak');
    judge(samples, counts);
  } finally {
    await gateway.stop();
    await mock.stop();
  }
}

/** Skips the start: memory grows until the pools, caches and compiled code are complete. */
async function sample(gateway: Gateway, minutes: number): Promise<Sample[]> {
  const inspector = await Inspector.open(gateway.inspectorUrl ?? '');
  const samples: Sample[] = [];
  for (let at = 1; at <= SAMPLES; at += 1) {
    await pause((minutes * 60_000) / SAMPLES);
    await inspector.request('HeapProfiler.collectGarbage');
    const { usedSize } = await inspector.request('Runtime.getHeapUsage');
    const minute = round((at / SAMPLES) * minutes);
    const [pid = 0] = gateway.pids;
    samples.push({ minute, heapBytes: Number(usedSize), rssBytes: rssBytes(pid) });
  }
  inspector.close();
  return samples;
}

function judge(samples: readonly Sample[], counts: Counts): void {
  const late = samples.slice(Math.floor(SAMPLES / 4));
  const half = Math.floor(late.length / 2);
  const middle = median(late.slice(0, half).map(({ heapBytes }) => heapBytes));
  const end = median(late.slice(half).map(({ heapBytes }) => heapBytes));
  console.table(
    samples.map(({ minute, heapBytes, rssBytes: rss }) => ({
      minute,
      'heap MB': megabytes(heapBytes),
      'resident MB': megabytes(rss),
    })),
  );
  console.table([counts]);
  const slopes = {
    'heap KB a minute': slope(late.map(({ minute, heapBytes }) => [minute, heapBytes / 1024])),
    'resident KB a minute': slope(late.map((one) => [one.minute, one.rssBytes / 1024])),
  };
  console.table([slopes]);
  if (counts.failed > 0) throw new Error(`${counts.failed} calls failed`);
  if (end > middle * ALLOWED_GROWTH + ALLOWED_BYTES)
    throw new Error(`the heap grew from ${megabytes(middle)} to ${megabytes(end)} MB`);
}

/** Slope of the least-squares line through the points. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length;
  const x = mean(points.map(([at]) => at));
  const y = mean(points.map(([, value]) => value));
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return round(over / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0));
}

function megabytes(bytes: number): number {
  return round(bytes / 2 ** 20);
}

async function loadUntil(stop: AbortSignal, target: Target, counts: Counts): Promise<void> {
  const pool = new Pool(target.url, { connections: WORKERS });
  const call = async (model: string, stream: boolean, leaveAfterMs: number | undefined) => {
    const left =
      leaveAfterMs === undefined
        ? stop
        : AbortSignal.any([stop, AbortSignal.timeout(Math.round(leaveAfterMs))]);
    try {
      const answer = await pool.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: headersOf(target),
        body: bodyOf(model, stream),
        signal: left,
      });
      for await (const _ of answer.body);
      if (answer.statusCode !== 200) counts.failed += 1;
      else if (stream) counts.finished += 1;
      else counts.plain += 1;
    } catch {
      if (left.aborted) counts.left += 1;
      else counts.failed += 1;
    }
  };
  const kinds = [
    () => call(LONG_MODEL, true, undefined),
    () => call(LONG_MODEL, true, 100 + Math.random() * 10_000),
    () => call(SLOW_MODEL, true, Math.random() * 400),
    () => call(PLAIN_MODEL, false, undefined).then(() => pause(20)),
  ];
  const worker = async (_: unknown, index: number) => {
    while (!stop.aborted) await kinds[index % kinds.length]?.();
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  await pool.close();
}

/** A minimal Chrome DevTools Protocol client for a Node inspector. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: Record<string, unknown>) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (text) => {
      const { id, result } = JSON.parse(String(text));
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  request(method: string): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
