import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyUsage,
  readOpenAiUsage,
  toOpenAiUsage,
  totalCacheWrite,
  totalInput,
  totalOutput,
  type Usage,
} from '../../../src/domain/pricing/usage.ts';

const READINGS: readonly [string, unknown, Partial<Usage>][] = [
  [
    'a plain chat answer',
    { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    { input: 19, output: 10 },
  ],
  [
    'cached, written and audio input are taken out of the prompt, audio out of the completion',
    {
      prompt_tokens: 1000,
      completion_tokens: 300,
      total_tokens: 1300,
      prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: 100, audio_tokens: 50 },
      completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 80 },
    },
    {
      input: 450,
      cacheRead: 400,
      cacheWrite: 100,
      audioInput: 50,
      output: 220,
      audioOutput: 80,
      reasoning: 120,
    },
  ],
  [
    'DeepSeek: hit and miss',
    {
      prompt_tokens: 90,
      completion_tokens: 5,
      total_tokens: 95,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 26,
    },
    { input: 26, cacheRead: 64, output: 5 },
  ],
  [
    'DeepSeek: hit and miss alone make the prompt',
    { completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 26 },
    { input: 26, cacheRead: 64, output: 5 },
  ],
  [
    'Moonshot: cached tokens at the top',
    { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, cached_tokens: 80 },
    { input: 20, cacheRead: 80, output: 7 },
  ],
  [
    'xAI: reasoning beside the completion, seen by the sum',
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 241,
      prompt_tokens_details: { cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 200 },
    },
    { input: 26, cacheRead: 6, output: 209, reasoning: 200 },
  ],
  [
    'reasoning larger than the completion cannot be a part of it',
    {
      prompt_tokens: 32,
      completion_tokens: 9,
      completion_tokens_details: { reasoning_tokens: 200 },
    },
    { input: 32, output: 209, reasoning: 200 },
  ],
  [
    'reasoning inside the completion stays inside',
    {
      prompt_tokens: 10,
      completion_tokens: 100,
      total_tokens: 110,
      completion_tokens_details: { reasoning_tokens: 90 },
    },
    { input: 10, output: 100, reasoning: 90 },
  ],
  [
    'a cache larger than the prompt means that the prompt leaves it out',
    { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2000 } },
    { input: 12, cacheRead: 2000, output: 3 },
  ],
  [
    'a total that leaves the cache out bounds the cache by the prompt',
    {
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 1e9, cache_write_tokens: 1e9 },
    },
    { cacheRead: 10, output: 3 },
  ],
  [
    'a total that leaves the reasoning out bounds it by the completion',
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      completion_tokens_details: { reasoning_tokens: 1e9 },
    },
    { input: 10, output: 5, reasoning: 5 },
  ],
  ['embeddings with a total alone', { total_tokens: 8 }, { input: 8 }],
  [
    'a completion that only the total tells',
    { prompt_tokens: 8, total_tokens: 20 },
    { input: 8, output: 12 },
  ],
  [
    'numbers as strings',
    { prompt_tokens: '15', completion_tokens: '4', total_tokens: '19' },
    { input: 15, output: 4 },
  ],
  ['negative counts are nothing', { prompt_tokens: -5, completion_tokens: 4 }, { output: 4 }],
  [
    'null details',
    {
      prompt_tokens: 5,
      completion_tokens: 1,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    { input: 5, output: 1 },
  ],
  [
    'images: the input spelling, image tokens on their own',
    {
      input_tokens: 210,
      output_tokens: 4160,
      total_tokens: 4370,
      input_tokens_details: { text_tokens: 10, image_tokens: 200 },
      output_tokens_details: { image_tokens: 4160, text_tokens: 0 },
    },
    { input: 10, imageInput: 200, imageOutput: 4160 },
  ],
  [
    'transcriptions: audio under input_token_details',
    {
      type: 'tokens',
      input_tokens: 14,
      output_tokens: 45,
      input_token_details: { audio_tokens: 14, text_tokens: 0 },
    },
    { audioInput: 14, output: 45 },
  ],
  [
    'cached audio is counted once, as cache',
    {
      input_tokens: 132,
      output_tokens: 10,
      input_token_details: {
        text_tokens: 32,
        audio_tokens: 100,
        cached_tokens: 64,
        cached_tokens_details: { text_tokens: 4, audio_tokens: 60 },
      },
    },
    { input: 28, cacheRead: 64, audioInput: 40, output: 10 },
  ],
];

describe('reading OpenAI-shaped usage', () => {
  it.each(READINGS)('%s', (_name, raw, expected) => {
    expect(readOpenAiUsage(raw)).toEqual({ ...emptyUsage(), ...expected });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [1]],
    ['a text', 'usage'],
    ['an empty object', {}],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['unreadable counts', { prompt_tokens: 'many', completion_tokens: Number.NaN }],
  ])('%s is not usage', (_name, raw) => {
    expect(readOpenAiUsage(raw)).toBeUndefined();
  });

  it('never throws and never yields a fraction, a negative or an infinite count', () => {
    const count = fc.oneof(
      fc.double(),
      fc.string(),
      fc.constant(null),
      fc.constant(undefined),
      fc.nat(),
    );
    const details = fc.oneof(
      fc.constant(null),
      fc.record({
        cached_tokens: count,
        audio_tokens: count,
        reasoning_tokens: count,
        cache_write_tokens: count,
      }),
    );
    const raw = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      cached_tokens: count,
      prompt_tokens_details: details,
      completion_tokens_details: details,
    });
    fc.assert(
      fc.property(raw, (usage) => {
        const values = Object.values(readOpenAiUsage(usage) ?? emptyUsage());
        expect(values.every((value) => Number.isSafeInteger(value) && value >= 0)).toBe(true);
      }),
    );
  });
});

describe('writing OpenAI-shaped usage', () => {
  it('includes cache and audio in the prompt', () => {
    const usage = {
      ...emptyUsage(),
      input: 10,
      cacheRead: 5,
      cacheWrite1h: 3,
      audioInput: 2,
      output: 7,
      reasoning: 4,
    };
    expect(toOpenAiUsage(usage)).toEqual({
      prompt_tokens: 20,
      completion_tokens: 7,
      total_tokens: 27,
      prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 3, audio_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 0 },
    });
  });

  it('reads back as the same usage, except lifetimes of cache writes', () => {
    const count = fc.nat(100_000);
    const arbitrary = fc.record({
      input: count,
      cacheRead: count,
      cacheWrite: count,
      cacheWrite5m: count,
      cacheWrite1h: count,
      audioInput: count,
      imageInput: count,
      output: fc.integer({ min: 1, max: 100_000 }),
      audioOutput: count,
      imageOutput: count,
      reasoning: fc.constant(0),
      webSearches: fc.constant(0),
      fileSearches: fc.constant(0),
      codeSessions: fc.constant(0),
    });
    fc.assert(
      fc.property(arbitrary, (usage) => {
        const read = readOpenAiUsage(toOpenAiUsage(usage)) ?? emptyUsage();
        expect(totalInput(read)).toBe(totalInput(usage));
        expect(totalOutput(read)).toBe(totalOutput(usage));
        // Here cached tokens are part of the prompt, even if they exceed the rest of it.
        expect(read).toEqual({
          ...usage,
          cacheWrite: totalCacheWrite(usage),
          cacheWrite5m: 0,
          cacheWrite1h: 0,
        });
      }),
    );
  });
});
