import { expect, test } from 'vitest';
import { readFacts } from '../../../src/domain/logs/log-facts.ts';
import { priceDetailOf } from '../../../src/domain/pricing/log-price.ts';

const UNIT = 500_000;

test('subtracts cached tokens from the prompt of a plain log entry', () => {
  const entry = { quota: 120, prompt_tokens: 1000, completion_tokens: 200 };
  const facts = {
    model_ratio: 0.075,
    completion_ratio: 4,
    group_ratio: 1,
    model_price: -1,
    cache_tokens: 400,
    cache_ratio: 0.5,
  };

  const detail = priceDetailOf(entry, facts, UNIT);

  expect(detail).toMatchObject({ usd: 0.00024, units: 120, isAsCharged: true });
  expect(detail?.lines).toEqual([
    { kind: 'input', tokens: 600, usdEach: 0.15, usd: 0.00009 },
    { kind: 'cache_read', tokens: 400, usdEach: 0.075, usd: 0.00003 },
    { kind: 'output', tokens: 200, usdEach: 0.6, usd: 0.00012 },
  ]);
  expect(detail?.usdSaved).toBeCloseTo(0.00003, 12);
});

test('with the Claude flag the prompt excludes tokens read from and written to the cache', () => {
  const facts = {
    claude: true,
    model_ratio: 1.5,
    completion_ratio: 5,
    group_ratio: 1,
    cache_tokens: 2000,
    cache_ratio: 0.1,
    cache_creation_tokens: 500,
    cache_creation_ratio: 1.25,
  };
  for (const quota of [3637, 3638]) {
    const entry = { quota, prompt_tokens: 100, completion_tokens: 300 };
    expect(priceDetailOf(entry, facts, UNIT)).toMatchObject({ usd: 0.007275, isAsCharged: true });
  }
  const other = { quota: 3640, prompt_tokens: 100, completion_tokens: 300 };
  expect(priceDetailOf(other, facts, UNIT)?.isAsCharged).toBe(false);
});

test('a price per call overrides every ratio', () => {
  const entry = { quota: 15_000, prompt_tokens: 900, completion_tokens: 0 };
  const facts = { model_price: 0.02, model_ratio: 5, group_ratio: 1.5 };

  expect(priceDetailOf(entry, facts, UNIT)).toMatchObject({
    lines: [{ kind: 'call', tokens: 1, usdEach: 0.02, usd: 0.02 }],
    groupRatio: 1.5,
    usd: 0.03,
    units: 15_000,
    isAsCharged: true,
  });
});

test('a price per call applies as often as the log entry says', () => {
  const entry = { quota: 120_000, prompt_tokens: 0, completion_tokens: 0 };
  const facts = { model_price: 0.04, group_ratio: 1, calls: 6 };

  expect(priceDetailOf(entry, facts, UNIT)).toMatchObject({
    lines: [{ kind: 'call', tokens: 6, usdEach: 0.04, usd: 0.24 }],
    units: 120_000,
    isAsCharged: true,
  });
});

test("uses the user's own ratio if it is 0 or more, else the group's", () => {
  const entry = { quota: 0, prompt_tokens: 10, completion_tokens: 0 };
  const price = { model_ratio: 1, group_ratio: 2 };

  expect(priceDetailOf(entry, { ...price, user_group_ratio: 0 }, UNIT)).toMatchObject({
    groupRatio: 0,
    isUserRatio: true,
    units: 0,
  });
  expect(priceDetailOf(entry, { ...price, user_group_ratio: -1 }, UNIT)).toMatchObject({
    groupRatio: 2,
    isUserRatio: false,
  });
});

test('charges a log entry with separate text and audio counts for four kinds of tokens', () => {
  const entry = { quota: 10_300, prompt_tokens: 150, completion_tokens: 70 };
  const facts = {
    ws: true,
    model_ratio: 2.5,
    completion_ratio: 4,
    audio_ratio: 20,
    audio_completion_ratio: 2,
    group_ratio: 1,
    text_input: 100,
    audio_input: 50,
    text_output: 30,
    audio_output: 40,
  };

  const detail = priceDetailOf(entry, facts, UNIT);

  expect(detail?.lines.map(({ kind, tokens, usdEach }) => [kind, tokens, usdEach])).toEqual([
    ['input', 100, 5],
    ['audio_input', 50, 100],
    ['output', 30, 20],
    ['audio_output', 40, 200],
  ]);
  expect(detail?.units).toBe(7050);
  expect(detail?.isAsCharged).toBe(false);
});

test('uses the kinds of tokens recorded by the gateway unchanged', () => {
  const entry = { quota: 96, prompt_tokens: 30, completion_tokens: 10 };
  const facts = {
    model_ratio: 1,
    completion_ratio: 2,
    cache_ratio: 0.1,
    cache_creation_1h_ratio: 2,
    group_ratio: 2,
    model_price: -1,
    usage: { input: 10, cacheRead: 0, cacheWrite1h: 9, output: 5 },
  };

  expect(priceDetailOf(entry, facts, UNIT)?.lines).toEqual([
    { kind: 'input', tokens: 10, usdEach: 2, usd: 0.00002 },
    { kind: 'cache_write_1h', tokens: 9, usdEach: 4, usd: 0.000036 },
    { kind: 'output', tokens: 5, usdEach: 4, usd: 0.00002 },
  ]);
});

test('a log entry without a price has no calculation, and invalid counts are zero', () => {
  const entry = { quota: 5, prompt_tokens: 10, completion_tokens: 0 };
  expect(priceDetailOf(entry, {}, UNIT)).toBeUndefined();
  expect(priceDetailOf(entry, { model_price: -1 }, UNIT)).toBeUndefined();
  const facts = readFacts('{"model_ratio":1,"cache_tokens":"many","group_ratio":null}');
  expect(priceDetailOf(entry, facts, UNIT)).toMatchObject({ units: 10, groupRatio: 1 });
});
