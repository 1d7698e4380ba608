/** Checks of a refused call: the error the caller gets, and that it cost nothing. */
import { expect } from 'vitest';
import type { Site, SiteAnswer } from '../support/site.ts';

export interface Refusal {
  readonly status: number;
  /** Without the request id at the end of every message. */
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Reads a response in OpenAI's error form; any other form, or a stack in it, fails the test. */
export function refusalIn(answer: SiteAnswer): Refusal {
  const { error, ...others } = JSON.parse(answer.text);
  expect(others).toEqual({});
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.text).not.toMatch(/\.[jt]s:\d|node_modules|\\n\s+at |errors\.[a-z_]+/);
  const ending = ` (request id: ${answer.requestId})`;
  expect(answer.requestId).not.toBe('');
  expect(error.message.slice(-ending.length)).toBe(ending);
  return { ...error, status: answer.status, message: error.message.slice(0, -ending.length) };
}

/** Makes `calls` and checks that they reached no upstream and changed no balance. */
export async function withoutCost<T>(site: Site, calls: () => Promise<T>): Promise<T> {
  const before = await site.balance(site.user.id);
  const callCounts = site.upstreams.map((upstream) => upstream.stats.calls);
  const outcome = await calls();
  expect(await site.balance(site.user.id)).toEqual(before);
  expect(await site.openHolds()).toBe(0);
  expect(site.upstreams.map((upstream) => upstream.stats.calls)).toEqual(callCounts);
  return outcome;
}
