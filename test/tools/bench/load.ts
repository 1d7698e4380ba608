/**
 * Generates load: a bounded number of plain calls and streams at a fixed concurrency, timed per
 * call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Target {
  readonly url: string;
  readonly key: string;
  /** Used in turn by plain calls instead of `key`. */
  readonly keys?: readonly string[];
  /** Further nodes, which plain calls use in turn. */
  readonly others?: readonly string[];
}

export interface PlainResult {
  readonly latenciesMs: number[];
  readonly failed: number;
}

const REQUESTS = 'Tell me in a few sentences why the sky is blue. '.repeat(20);

export function bodyOf(model: string, stream: boolean): string {
  return JSON.stringify({
    model,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: REQUESTS }],
  });
}

export async function plainLoad(
  target: Target,
  model: string,
  calls: number,
  concurrency: number,
): Promise<PlainResult> {
  const pools = [target.url, ...(target.others ?? [])].map(
    (url) => new Pool(url, { connections: concurrency }),
  );
  const latenciesMs: number[] = [];
  let failed = 0;
  let started = 0;
  const body = bodyOf(model, false);
  const worker = async () => {
    while (started < calls) {
      const key = target.keys?.[started % target.keys.length] ?? target.key;
      const pool = pools[started % pools.length] as Pool; // there is at least one
      started += 1;
      const at = performance.now();
      const answer = await pool.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: headersOf({ key }),
        body,
      });
      await answer.body.dump();
      latenciesMs.push(performance.now() - at);
      if (answer.statusCode !== 200) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await Promise.all(pools.map((pool) => pool.close()));
  return { latenciesMs, failed };
}

export interface StreamResult {
  /** Time to the first data frame, per stream. */
  readonly firstMs: number[];
  /** Largest gap between two chunks, per stream. */
  readonly gapMs: number[];
  readonly events: number;
  readonly incomplete: number;
}

/** A stream request, and the end of its text when it is complete. */
export interface StreamRequest {
  readonly path: string;
  readonly body: unknown;
  readonly end: RegExp;
}

export function chatStream(model: string): StreamRequest {
  const body = JSON.parse(bodyOf(model, true));
  return { path: '/v1/chat/completions', body, end: /data: \[DONE\]\n\n$/ };
}

/**
 * Runs `streams` streams, `concurrency` at a time, each to its end. The first ones start spread
 * over `startsWithinMs` to avoid a burst.
 */
export async function streamLoad(
  target: Target,
  request: StreamRequest,
  streams: number,
  concurrency: number,
  startsWithinMs = 0,
): Promise<StreamResult> {
  const pool = new Pool(target.url, { connections: concurrency });
  const result = { firstMs: [] as number[], gapMs: [] as number[], events: 0, incomplete: 0 };
  let started = 0;
  const call = { path: request.path, body: JSON.stringify(request.body), end: request.end };
  const worker = async (_: unknown, index: number) => {
    if (startsWithinMs > 0) await pause((index / concurrency) * startsWithinMs);
    while (started < streams) {
      started += 1;
      await oneStream(pool, target, call, result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await pool.close();
  return result;
}

/** The last frame and more; the last one of the Responses API repeats the whole response. */
const TAIL_CHARS = 32_000;

async function oneStream(
  pool: Pool,
  target: Target,
  call: { readonly path: string; readonly body: string; readonly end: RegExp },
  result: { firstMs: number[]; gapMs: number[]; events: number; incomplete: number },
): Promise<void> {
  const at = performance.now();
  const answer = await pool.request({
    method: 'POST',
    path: call.path,
    headers: headersOf(target),
    body: call.body,
  });
  let last = 0;
  let gap = 0;
  let text = '';
  for await (const chunk of answer.body) {
    const now = performance.now();
    if (last === 0) result.firstMs.push(now - at);
    else gap = Math.max(gap, now - last);
    last = now;
    text += String(chunk);
  }
  result.gapMs.push(gap);
  result.events += text.split('\n\n').length - 1;
  if (!call.end.test(text.slice(-TAIL_CHARS))) result.incomplete += 1;
}

export function headersOf({ key }: Pick<Target, 'key'>): Record<string, string> {
  return { 'content-type': 'application/json', authorization: `Bearer ${key}` };
}

/** The operating system would refuse more connections than the listen backlog. */
const AT_ONCE = 250;

export function openIdleStreams(target: Target, model: string, count: number) {
  const pool = new Pool(target.url, { connections: count, headersTimeout: 0, bodyTimeout: 0 });
  const body = bodyOf(model, true);
  const openOne = async () => {
    const answer = await pool.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: headersOf(target),
      body,
    });
    await new Promise<void>((resolve) => answer.body.once('data', () => resolve()));
    answer.body.on('error', () => undefined);
  };
  const openAll = async () => {
    for (let open = 0; open < count; open += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - open) }, openOne));
  };
  return { opened: openAll(), close: () => pool.destroy() };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** To hundredths. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
