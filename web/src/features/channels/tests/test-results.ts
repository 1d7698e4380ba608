/**
 * Test results by channel and model. They live as long as the page, so that a dialog that is closed
 * and reopened, or left running, still has them.
 */
import { ApiError } from '../../../lib/api/api.ts';
import { createStore, useStore } from '../../../lib/store.ts';
import { channelProbe, type Probe } from '../calls.ts';

export type ModelTest =
  | { readonly state: 'waiting' | 'running' | 'stopped' }
  | { readonly state: 'done'; readonly probe: Probe }
  /** The gateway refused to run the test. */
  | { readonly state: 'refused'; readonly problem: unknown };

export interface ChannelTests {
  readonly byModel: ReadonlyMap<string, ModelTest>;
  readonly isRunning: boolean;
}

export interface TestRequest {
  readonly channelId: number;
  readonly models: readonly string[];
  readonly stream: boolean;
  readonly endpoint: NonNullable<Parameters<typeof channelProbe.test>[0]['endpoint']>;
}

const NONE: ChannelTests = { byModel: new Map(), isRunning: false };
const AT_A_TIME = 4;
const LONGEST_WAIT_SEC = 90;

const results = createStore<ReadonlyMap<number, ChannelTests>>(new Map());
const stops = new Map<number, AbortController>();

export function useTestResults(channelId: number): ChannelTests {
  return useStore(results).get(channelId) ?? NONE;
}

function write(channelId: number, change: Partial<ChannelTests>): void {
  const before = results.get().get(channelId) ?? NONE;
  results.set(new Map(results.get()).set(channelId, { ...before, ...change }));
}

function mark(channelId: number, models: readonly string[], test: ModelTest): void {
  const byModel = new Map(results.get().get(channelId)?.byModel);
  for (const model of models) byModel.set(model, test);
  write(channelId, { byModel });
}

/** Four at a time; resolves when all have finished or `stopTests` was called. */
export async function runTests({
  channelId,
  models,
  stream,
  endpoint,
}: TestRequest): Promise<void> {
  stops.get(channelId)?.abort();
  const stop = new AbortController();
  stops.set(channelId, stop);
  mark(channelId, models, { state: 'waiting' });
  write(channelId, { isRunning: true });
  await inParallel(models, { width: AT_A_TIME, signal: stop.signal }, async (model) => {
    mark(channelId, [model], { state: 'running' });
    const ask = () =>
      channelProbe.test({ id: channelId, model, stream, endpoint }, { signal: stop.signal });
    mark(channelId, [model], await testOutcome(ask, stop.signal));
  });
  if (stops.get(channelId) !== stop) return;
  const left = models.filter((model) =>
    isPending(results.get().get(channelId)?.byModel.get(model)),
  );
  mark(channelId, left, { state: 'stopped' });
  write(channelId, { isRunning: false });
}

/** Runs a limited number at a time, in order; starts no more once the signal is aborted. */
export async function inParallel<T>(
  items: readonly T[],
  { width, signal }: { readonly width: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}

export function stopTests(channelId: number): void {
  stops.get(channelId)?.abort();
}

/** Stores the result of a single test with the others. */
export function storeTest(probe: Probe): void {
  mark(probe.channel_id, [probe.model], { state: 'done', probe });
}

function isPending(test: ModelTest | undefined): boolean {
  return test?.state === 'waiting' || test?.state === 'running';
}

/** If the gateway answers with Retry-After, the test is retried after that time. */
export async function testOutcome(
  ask: () => Promise<Probe>,
  signal: AbortSignal,
): Promise<ModelTest> {
  for (;;) {
    try {
      return { state: 'done', probe: await ask() };
    } catch (problem) {
      if (signal.aborted) return { state: 'stopped' };
      const waitSec = problem instanceof ApiError ? problem.retryAfterSec : undefined;
      if (waitSec === undefined || waitSec > LONGEST_WAIT_SEC) return { state: 'refused', problem };
      await pause(waitSec * 1000, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export interface TestSummary {
  readonly ok: number;
  readonly failed: number;
  /** Median of the successful tests, ms; undefined if there are none. */
  readonly medianMs: number | undefined;
  readonly working: readonly string[];
}

export function testSummary(byModel: ReadonlyMap<string, ModelTest>): TestSummary {
  const done = [...byModel].flatMap(([model, test]) =>
    test.state === 'done' ? [{ model, probe: test.probe }] : [],
  );
  const good = done.filter(({ probe }) => probe.success);
  const refused = [...byModel.values()].filter(({ state }) => state === 'refused').length;
  const times = good.map(({ probe }) => probe.time_ms).sort((a, b) => a - b);
  return {
    ok: good.length,
    failed: done.length - good.length + refused,
    medianMs: times[Math.floor((times.length - 1) / 2)],
    working: good.map(({ model }) => model),
  };
}
