/** The callers of `npm run edges`, which judge each refusal by the windows in the database. */
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import type { EdgeSite, EdgeWindow } from './site.ts';

const messages = [{ role: 'user', content: 'count to ten' }];
/** The tokens of the prompt, by the gateway's bound. */
const PROMPT = 250;
const LEAST_OUTPUT = 256;
/** A call that was left may run on for so long. */
const GRACE_MS = 3_000;
const LONGEST_STAY_MS = 40;

type Counts = ReturnType<typeof noCounts>;

export const noCounts = () => ({
  answered: 0,
  left: 0,
  cutOff: 0,
  /** Refused because a window is used up. */
  exhausted: 0,
  /** Refused because running calls hold what is left. */
  busy: 0,
  /** Refused although the windows had room, whatever ran. */
  falselyRefused: 0,
});

export interface Caller {
  readonly number: number;
  readonly counts: Counts;
}

interface Call {
  readonly tokenId: number;
  readonly body: { readonly max_tokens: number; readonly n: number };
  /** Infinity while it runs. */
  endedAtMs: number;
}

const running = new Set<Call>();

export async function callUntil(site: EdgeSite, caller: Caller, isOver: () => boolean) {
  for (let number = 0; !isOver(); number += 1) {
    const token = site.tokens[caller.number % site.tokens.length];
    if (token === undefined) throw new Error('no token');
    const body = bodyOf(caller.number, number);
    const call: Call = { tokenId: token.id, body, endedAtMs: Number.POSITIVE_INFINITY };
    const beganAtMs = Date.now();
    running.add(call);
    const result = await send(site.url(caller.number), token.key, body, number % 7 === 6);
    const isHeldOn = result.kind === 'left' || result.kind === 'cut_off';
    call.endedAtMs = Date.now() + (isHeldOn ? GRACE_MS : 0);
    await count(site, caller, { call, beganAtMs, result });
    forget(beganAtMs);
  }
}

/** Nearly all calls are small, so that they run on blocks; large ones need what blocks hold. */
function bodyOf(caller: number, number: number) {
  const isLarge = (caller + number) % 23 === 0;
  const max_tokens = isLarge ? 300 + ((caller * 37 + number * 101) % 900) : 4 + (number % 30);
  const n = number % 5 === 0 ? 1 + (number % 3) : 1;
  return { model: 'even', messages, max_tokens, n, stream: number % 2 === 0 };
}

interface Result {
  readonly kind: 'answered' | 'left' | 'cut_off' | 'refused';
  readonly status: number;
}

async function send(url: string, key: string, body: object, leaves: boolean): Promise<Result> {
  const leaving = new AbortController();
  const timer = leaves
    ? setTimeout(() => leaving.abort(), Math.random() * LONGEST_STAY_MS)
    : undefined;
  try {
    const answer = await request(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const { statusCode: status } = answer;
    const text = await answer.body.text();
    if (status === 200) return { kind: 'answered', status };
    if (!text.includes('budget_exhausted')) return { kind: 'cut_off', status };
    return { kind: 'refused', status };
  } catch {
    return { kind: leaving.signal.aborted ? 'left' : 'cut_off', status: 0 };
  } finally {
    clearTimeout(timer);
  }
}

interface Made {
  readonly call: Call;
  readonly beganAtMs: number;
  readonly result: Result;
}

async function count(site: EdgeSite, { counts }: Caller, { call, beganAtMs, result }: Made) {
  if (result.kind === 'answered') counts.answered += 1;
  else if (result.kind === 'left') counts.left += 1;
  else if (result.kind === 'cut_off') {
    counts.cutOff += 1;
    await pause(100);
  } else {
    const isBusy = result.status === 429;
    if (isBusy) counts.busy += 1;
    else counts.exhausted += 1;
    const windows = await site.windowsOf(call.tokenId, Math.floor(beganAtMs / 1000) - 1);
    const others = isBusy ? runningSince(beganAtMs, call) : [];
    const mayBeHeld = isBusy && site.isRecovering();
    if (!mayBeHeld && windows.every((window) => hasRoom(window, [call, ...others]))) {
      counts.falselyRefused += 1;
      const bodies = { refused: call.body, status: result.status, others: others.length };
      console.log(JSON.stringify({ at: new Date(), ...bodies, windows }));
    }
    await pause(isBusy ? 50 : 200);
  }
}

/** Also those that ended since then. */
function runningSince(atMs: number, call: Call): Call[] {
  return [...running].filter((other) => other !== call && other.endedAtMs >= atMs);
}

function forget(atMs: number): void {
  for (const call of running) if (call.endedAtMs < atMs - 60_000) running.delete(call);
}

/** What is spent now was not less when the call was refused. */
function hasRoom({ measure, limit, spent }: EdgeWindow, calls: readonly Call[]): boolean {
  const needed = calls.reduce((sum, call, at) => sum + needOf(measure, call, at === 0), 0);
  return spent + needed <= limit;
}

/** The most of a running call; the least of the one that was refused, whose limit may be lowered. */
function needOf(measure: EdgeWindow['measure'], { body }: Call, isRefused: boolean): number {
  if (measure === 'calls') return 1;
  const output = isRefused ? Math.min(body.max_tokens, LEAST_OUTPUT) : body.max_tokens;
  return PROMPT + output * body.n;
}
