/** Prices of the catalogue through the whole gateway: the charge, and the rates that the log names. */
import { afterAll, describe, expect, test } from 'vitest';
import { catalogPrices } from '../../../src/domain/pricing/catalog/catalog.ts';
import { priceDetailOf } from '../../../src/domain/pricing/log-price.ts';
import { OPERATOR } from '../../support/site.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';

let nowMs: number | undefined;
const { site, raw } = await rawSite({ now: () => nowMs ?? Date.now() });
const UNIT = 500_000;
await site.as(OPERATOR).user.setQuota({ id: site.user.id, mode: 'set', units: 100 * UNIT });

interface CallBody {
  readonly model: string;
  readonly [field: string]: unknown;
}

/** As long as the prompts that the answers report. */
const PROMPT = 'word '.repeat(60_000);

/** The charge in USD of a call that an upstream of this type answers so, and its log entry. */
async function charged(type: string, model: string, answer: object, more: object = {}) {
  const messages = [{ role: 'user', content: PROMPT }];
  return chargedAt('/v1/chat/completions', type, answer, {
    model,
    messages,
    max_tokens: 10,
    ...more,
  });
}

async function chargedAt(path: string, type: string, answer: object, body: CallBody) {
  await site.addChannel({ type, base_url: raw.url, models: body.model, priority: 10 });
  raw.answer = whole(answer);
  const response = await site.call({ path, body });
  expect(response.status, response.text).toBe(200);
  const log = await site.logOf(response.requestId);
  if (log === undefined) throw new Error('no log entry');
  const facts = JSON.parse(log.other);
  expect(priceDetailOf(log, facts, UNIT)).toMatchObject({ isAsCharged: true });
  return { usd: log.quota / UNIT, facts };
}

function chatAnswer(usage: object) {
  const message = { role: 'assistant', content: 'hi' };
  return { choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
}

function geminiAnswer(usageMetadata: object, part: object = { text: 'hi' }) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata,
  };
}

describe('a long prompt', () => {
  const usage = { prompt_tokens: 400_000, completion_tokens: 1_000, total_tokens: 401_000 };

  test('costs what the vendor charges above its limit', async () => {
    const { usd, facts } = await charged('openai', 'gpt-6-astra', chatAnswer(usage));
    expect(usd).toBe(8.075);
    expect(facts).toMatchObject({
      rates: { input: 20, output: 75 },
      rate_conditions: [{ prompt_above: 272_000 }],
    });
  });

  test('costs the ordinary rates up to the limit', async () => {
    const short = { prompt_tokens: 272_000, completion_tokens: 1_000, total_tokens: 273_000 };
    const { usd, facts } = await charged('openai', 'gpt-6-astra', chatAnswer(short));
    expect(usd).toBe(2.77);
    expect(facts.rate_conditions).toBeUndefined();
  });

  test('costs the rates of its vendor also at Anthropic', async () => {
    const answer = {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', stop_reason: 'end_turn' },
      content: [{ type: 'text', text: 'hi' }],
      usage: { input_tokens: 200_000, output_tokens: 1_000 },
    };
    const { usd } = await charged('anthropic', 'claude-haiku-5-5', answer);
    expect(usd).toBe(0.1025);
  });
});

describe('cached input costs what the vendor charges', () => {
  const usage = {
    ...{ prompt_tokens: 100_000, completion_tokens: 1_000, total_tokens: 101_000 },
    prompt_tokens_details: { cached_tokens: 90_000 },
  };

  test.each([
    ['xai', 'grok-4.3', (10_000 * 1.25 + 90_000 * 0.2 + 1_000 * 2.5) / 1e6],
    ['mistral', 'mistral-medium-latest', (10_000 * 1.5 + 90_000 * 0.15 + 1_000 * 7.5) / 1e6],
    ['minimax', 'MiniMax-M2.5', (10_000 * 0.3 + 90_000 * 0.03 + 1_000 * 1.2) / 1e6],
  ])('%s %s', async (type, model, usd) => {
    expect((await charged(type, model, chatAnswer(usage))).usd).toBe(usd);
  });
});

describe('a price with a time', () => {
  afterAll(() => {
    nowMs = undefined;
  });

  const usage = { prompt_tokens: 100_000, completion_tokens: 1_000, total_tokens: 101_000 };

  test.each([
    ['on a working day at 10:00 in Beijing', '2026-11-25T02:00:00Z', 0.13596],
    ['on a working day at 13:00 in Beijing', '2026-11-25T05:00:00Z', 0.06798],
    ['on a Sunday at 10:00 in Beijing', '2026-11-29T02:00:00Z', 0.06798],
  ])('DeepSeek %s', async (_name, time, usd) => {
    nowMs = Date.parse(time);
    expect((await charged('deepseek', 'deepseek-v4-pro', chatAnswer(usage))).usd).toBe(usd);
  });

  test.each([
    ['until the last day of the first price', '2026-11-30T23:59:00Z', 0.21],
    ['from the first day of the next price', '2026-12-01T00:00:01Z', 0.42],
  ])('Gemini %s', async (_name, time, usd) => {
    nowMs = Date.parse(time);
    const counts = { promptTokenCount: 100_000, candidatesTokenCount: 1_000 };
    const answer = geminiAnswer({ ...counts, totalTokenCount: 101_000 });
    expect((await charged('gemini', 'gemini-4-argon', answer)).usd).toBe(usd);
  });
});

test('text and pictures in the prompt of an image model have rates of their own', async () => {
  const answer = {
    data: [{ b64_json: 'aGk=' }],
    usage: {
      ...{ input_tokens: 1_200, output_tokens: 4_160, total_tokens: 5_360 },
      input_tokens_details: { text_tokens: 200, image_tokens: 1_000 },
    },
  };
  const body = { model: 'gpt-image-2', prompt: 'a cat' };
  const { usd } = await chargedAt('/v1/images/generations', 'openai', answer, body);
  expect(usd).toBe((200 * 5 + 1_000 * 8 + 4_160 * 30) / 1e6);
});

test('a service tier costs its rates on top of a long prompt', async () => {
  const usage = { prompt_tokens: 300_000, completion_tokens: 1_000, total_tokens: 301_000 };
  const answer = { ...chatAnswer(usage), service_tier: 'priority' };
  const { usd } = await charged('openai', 'gpt-6-sol', answer, { service_tier: 'priority' });
  expect(usd).toBe(2.43);
});

describe('pictures of Gemini', () => {
  const details = { promptTokenCount: 10, candidatesTokenCount: 1_320, totalTokenCount: 1_330 };

  test('cost the rate of images, and text that of text', async () => {
    const counted = [{ modality: 'IMAGE', tokenCount: 1_120 }];
    const answer = geminiAnswer({ ...details, candidatesTokensDetails: counted });
    const { usd, facts } = await charged('gemini', 'gemini-3-pro-image', answer);
    expect(usd).toBeCloseTo((10 * 2 + 200 * 12 + 1_120 * 120) / 1e6, 5);
    expect(facts.usage).toEqual({ input: 10, output: 200, imageOutput: 1_120 });
  });

  test('cost the rate of images also where the upstream does not count them apart', async () => {
    const part = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
    const { usd } = await charged('gemini', 'gemini-3-pro-image', geminiAnswer(details, part));
    expect(usd).toBeCloseTo((10 * 2 + 1_320 * 120) / 1e6, 5);
  });
});

test('a model with open weights costs what the host of the channel charges', async () => {
  const usage = { prompt_tokens: 500_000, completion_tokens: 0, total_tokens: 500_000 };
  const model = 'deepseek-ai/DeepSeek-V4-Flash';
  const listed = catalogPrices().get('deepseek-v4-flash');
  const hosted = listed?.variants.find(({ when }) => when.provider === 'deepinfra');
  const { usd, facts } = await charged('deepinfra', model, chatAnswer(usage));
  expect(usd * 2).toBe(hosted?.rates?.input);
  expect(usd * 2).toBeLessThan(listed?.rates.input ?? 0);
  expect(facts).toMatchObject({
    price_name: 'deepseek-v4-flash',
    rate_conditions: [{ provider: 'deepinfra' }],
  });
});
