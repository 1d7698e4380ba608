/** The parts of `npm run bench`: what each measures in a running environment. */
import { existsSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import {
  type BenchEnvironment,
  type Figures,
  type Gateway,
  interleaved,
  MODELS,
  PACE_MS,
  type Side,
  sidesOf,
  startGateway,
  verifyLedger,
} from './environment/environment.ts';
import { cpuUsOf, rssBytes } from './environment/processes.ts';
import {
  chatStream,
  median,
  openIdleStreams,
  plainLoad,
  quantile,
  round,
  streamLoad,
  type Target,
} from './load.ts';
import { EVENTS } from './pairs.ts';

/** Sample sizes; the results of a quick run are not meaningful. */
export interface Size {
  readonly rounds: number;
  readonly calls: number;
  readonly streams: number;
  readonly idleStreams: number;
  readonly warmUps: number;
  /** Before the memory of the idle processes is read. */
  readonly idleMs: number;
}

export const FULL: Size = {
  rounds: 5,
  calls: 4_000,
  streams: 150,
  idleStreams: 10_000,
  warmUps: 6,
  idleMs: 30_000,
};
export const QUICK: Size = {
  rounds: 3,
  calls: 1_500,
  streams: 50,
  idleStreams: 500,
  warmUps: 2,
  idleMs: 1_000,
};

const CONCURRENCY = 32;
const PACED_STREAMS = 128;
const TOKEN_STREAMS = 32;
const TOKEN_ROUNDS = 8;

export function measurePlain(sides: readonly Side[], { rounds, calls, warmUps }: Size) {
  return interleaved(
    sides,
    { rounds, warmUps },
    (target) => plainCalls(target, calls),
    (latenciesMs, cpuUs) => {
      const [p50_ms, p99_ms] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)];
      const cpu_us_per_call = cpuUs / calls;
      return { cpu_us_per_call, p50_ms, p99_ms, p99_per_p50: p99_ms / p50_ms };
    },
  );
}

/** Returns the durations. @throws Error if a call fails, because a refused call costs less. */
export async function plainCalls(
  target: Target,
  calls: number,
  atOnce = CONCURRENCY,
): Promise<number[]> {
  const { latenciesMs, failed } = await plainLoad(target, MODELS.plain, calls, atOnce);
  if (failed > 0) throw new Error(`${failed} of ${calls} calls failed`);
  return latenciesMs;
}

/** One call at a time: nothing waits for a CPU, so the added time is the gateway's own. */
export function measureAdded(environment: BenchEnvironment, { rounds, calls }: Size) {
  const few = Math.ceil(calls / 8);
  return interleaved(
    sidesOf(environment),
    { rounds, warmUps: 1 },
    (target) => plainCalls(target, few, 1),
    (latenciesMs) => ({
      p50_ms: quantile(latenciesMs, 0.5),
      p99_ms: quantile(latenciesMs, 0.99),
    }),
  );
}

export function measureStream(
  environment: BenchEnvironment,
  model: string,
  { rounds, streams, warmUps }: Size,
) {
  return interleaved(
    sidesOf(environment).filter(({ name }) => name !== 'floor'),
    { rounds, warmUps },
    (target) => streamLoad(target, chatStream(model), streams, 8),
    (result, cpuUs) => ({
      cpu_us_per_event: cpuUs / (streams * EVENTS),
      first_p50_ms: quantile(result.firstMs, 0.5),
      incomplete: result.incomplete,
    }),
  );
}

/** Time to the first event on 32 streams with staggered starts and an event every 10 ms on each. */
export function measureFirstToken(environment: BenchEnvironment, { rounds }: Size) {
  const streams = TOKEN_STREAMS * TOKEN_ROUNDS;
  const startsWithinMs = EVENTS * PACE_MS;
  return interleaved(
    sidesOf(environment).filter(isCompared),
    { rounds: Math.min(rounds, 2), warmUps: 0 },
    (target) =>
      streamLoad(target, chatStream(MODELS.paced), streams, TOKEN_STREAMS, startsWithinMs),
    (result) => ({
      first_p50_ms: quantile(result.firstMs, 0.5),
      first_p99_ms: quantile(result.firstMs, 0.99),
      incomplete: result.incomplete,
    }),
  );
}

/** The slow parts leave out the other relays. */
function isCompared({ name }: Side): boolean {
  return name !== 'bare' && name !== 'floor';
}

/**
 * One event every 10 ms on each stream. Lost: frames the bare upstream delivered but this side did
 * not. Late: how much the longest pause of a stream exceeded the pace.
 */
export async function measurePaced(
  environment: BenchEnvironment,
): Promise<Record<string, Figures>> {
  const rows: Record<string, Figures> = {};
  let sent: number | undefined;
  for (const { name, target, pids } of sidesOf(environment).filter(isCompared)) {
    const before = cpuUsOf(pids);
    const request = chatStream(MODELS.paced);
    const result = await streamLoad(target, request, PACED_STREAMS, PACED_STREAMS);
    sent ??= result.events;
    const late = result.gapMs.map((gap) => Math.max(0, gap - PACE_MS));
    rows[name] = {
      cpu_us_per_event: round((cpuUsOf(pids) - before) / (PACED_STREAMS * EVENTS)),
      first_p50_ms: round(quantile(result.firstMs, 0.5)),
      first_p99_ms: round(quantile(result.firstMs, 0.99)),
      lost: sent - result.events,
      late_p50_ms: round(quantile(late, 0.5)),
      late_worst_ms: round(Math.max(...late)),
      incomplete: result.incomplete,
    };
  }
  return rows;
}

/** Uses as many workers as the streams need file descriptors; one process if its limit suffices. */
export async function measureIdle(environment: BenchEnvironment, { idleStreams }: Size) {
  const workers = Math.ceil(idleStreams / mostStreams());
  if (workers === 1) return idleOn(environment.gateway, idleStreams, workers);
  const serveFlags = ['--workers', String(workers)];
  const gateway = await startGateway(environment.mock.url, { serveFlags, withPairs: false });
  try {
    const figures = await idleOn(gateway, idleStreams, workers);
    await verifyLedger(gateway, 'idle streams on several workers');
    return figures;
  } finally {
    await gateway.stop();
  }
}

async function idleOn(gateway: Gateway, streams: number, workers: number) {
  const target = { url: gateway.url, key: gateway.key };
  await plainLoad(target, MODELS.plain, 200 * workers, 8 * workers);
  const residentBytes = () => gateway.pids.reduce((sum, pid) => sum + rssBytes(pid), 0);
  const before = residentBytes();
  const idle = openIdleStreams(target, MODELS.idle, streams);
  await idle.opened;
  const grown = residentBytes() - before;
  await idle.close();
  return { streams, workers, kb_per_stream: round(grown / 1024 / streams) };
}

/** Each stream needs two of the gateway's sockets; its limit of open files is read on Linux. */
function mostStreams(): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY;
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.floor((Number(limit) - 1_000) / 2);
}

export async function measureStart() {
  const took = async (args: string[]) => {
    const times: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      const started = performance.now();
      await execa(process.execPath, args);
      times.push(performance.now() - started);
    }
    return median(times);
  };
  const bare = await took(['-e', '0']);
  return {
    node_ms: round(bare),
    version_extra_ms: round((await took(['bin/gateway.js', '--version'])) - bare),
    help_extra_ms: round((await took(['bin/gateway.js', '--help'])) - bare),
  };
}
