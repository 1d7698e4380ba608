/** The reset time of a rate limit, from headers that upstreams send instead of Retry-After. */
import { describe, expect, test } from 'vitest';
import { limitResetMs } from '../../src/upstream-errors/rate-limit-reset.ts';
import { readUpstreamError } from '../../src/upstream-errors/read-upstream-error.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

describe('the reset time of a rate limit', () => {
  test.each([
    [
      'OpenAI, requests',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' },
      360_000,
    ],
    [
      'OpenAI, tokens',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1.5s' },
      1_500,
    ],
    [
      'milliseconds',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' },
      120,
    ],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-11-21T12:00:20Z',
      },
      20_000,
    ],
    [
      'epoch milliseconds',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 7_000) },
      7_000,
    ],
    [
      'epoch seconds',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 9) },
      9_000,
    ],
    ['seconds', { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }, 30_000],
    [
      'a time that is over',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 - 9) },
      0,
    ],
    ['nonsense', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }, undefined],
    ['no time', { 'x-ratelimit-remaining': '0' }, undefined],
  ])('%s', (_name, headers, expected) => {
    expect(limitResetMs(headers, NOW)).toBe(expected);
  });

  test('is the latest of the exhausted limits only', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '5s',
      'x-ratelimit-remaining': '17',
      'x-ratelimit-reset': '3600',
    };
    expect(limitResetMs(headers, NOW)).toBe(5_000);
  });

  test('applies to a 429 without Retry-After, and to nothing else', () => {
    const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '8s' };
    const text = { bodyText: '{}', nowMs: NOW };
    expect(readUpstreamError({ ...text, status: 429, headers }).retryAfterMs).toBe(8_000);
    expect(readUpstreamError({ ...text, status: 500, headers }).retryAfterMs).toBeUndefined();
    const both = { ...headers, 'retry-after': '3' };
    expect(readUpstreamError({ ...text, status: 429, headers: both }).retryAfterMs).toBe(3_000);
  });
});
