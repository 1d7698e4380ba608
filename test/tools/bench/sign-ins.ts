/**
 * `npm run bench -- --sign-ins`: how sixty simultaneous sign-ins affect model calls. Idle and busy
 * rounds alternate; goal: the 99th percentile stays within three times its idle value.
 */
import { Pool } from 'undici';
import { type Gateway, PLAIN_MODEL, startGateway, startMock } from './environment/environment.ts';
import { median, plainLoad, quantile, round } from './load.ts';
import { saveResult } from './results.ts';

const ROUNDS = 3;
const SIGN_INS = 60;
const CALLS = 400;
const CONCURRENCY = 2;
const WARM_UP_CALLS = 2_000;
const UNLIMITED = {
  GATEWAY_API_RATE_LIMIT_ENABLED: 'false',
  GATEWAY_CRITICAL_RATE_LIMIT_ENABLED: 'false',
};

/** @throws Error if the goal is missed. */
export async function measureSignIns(): Promise<void> {
  const mock = await startMock();
  const gateway = await startGateway(mock.url, { withPairs: false, env: UNLIMITED });
  const idle: number[][] = [];
  const busy: number[][] = [];
  const answers: Record<number, number> = {};
  try {
    await plainLoad(gateway, PLAIN_MODEL, WARM_UP_CALLS, 8);
    for (let at = 0; at < ROUNDS; at += 1) {
      idle.push((await plainLoad(gateway, PLAIN_MODEL, CALLS, CONCURRENCY)).latenciesMs);
      busy.push(await callsBeside(gateway, answers, at));
    }
  } finally {
    await gateway.stop();
    await mock.stop();
  }
  const rows = { idle: figures(idle), busy: figures(busy) };
  const times = round(rows.busy.p99_ms / rows.idle.p99_ms);
  const report = { ...rows, times, sign_ins: SIGN_INS, answers };
  saveResult('sign-ins', report);
  console.log(JSON.stringify(report, null, 2));
  if (times > 3) throw new Error(`p99 beside sign-ins is ${times} times the idle one`);
}

/** Makes calls for as long as the sign-ins take. */
async function callsBeside(
  gateway: Gateway,
  answers: Record<number, number>,
  at: number,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  let isOver = false;
  const signedIn = signInAll(gateway, answers, at).then(() => {
    isOver = true;
  });
  while (!isOver)
    latenciesMs.push(...(await plainLoad(gateway, PLAIN_MODEL, 50, CONCURRENCY)).latenciesMs);
  await signedIn;
  return latenciesMs;
}

async function signInAll(
  { url }: Gateway,
  answers: Record<number, number>,
  at: number,
): Promise<void> {
  const pool = new Pool(url, { connections: SIGN_INS, headersTimeout: 0 });
  const one = async (_: unknown, n: number) => {
    // Uses distinct names, because only ten attempts per name are checked.
    const body = JSON.stringify({ username: `visitor${at}-${n}`, password: 'a wrong password' });
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path: '/api/user/login', headers, body } as const;
    const answer = await pool.request(request);
    await answer.body.dump();
    answers[answer.statusCode] = (answers[answer.statusCode] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: SIGN_INS }, one));
  await pool.close();
}

function figures(rounds: readonly (readonly number[])[]) {
  const of = (share: number) => round(median(rounds.map((list) => quantile(list, share))));
  return { p50_ms: of(0.5), p99_ms: of(0.99), max_ms: of(1), calls: rounds.flat().length };
}
