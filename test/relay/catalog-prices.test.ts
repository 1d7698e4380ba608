/** Prices of the catalogue through the whole gateway: the charge, and the rates that the log names. */
import { describe, expect, test } from 'vitest';
import { catalogPrices } from '../../src/domain/pricing/catalog/catalog.ts';
import { priceDetailOf } from '../../src/domain/pricing/log-price.ts';
import { OPERATOR } from '../support/site.ts';
import { rawSite } from './raw-site.ts';
import { whole } from './raw-upstream.ts';

const { site, raw } = await rawSite();
const UNIT = 500_000;
await site.as(OPERATOR).user.setQuota({ id: site.user.id, mode: 'set', units: 100 * UNIT });

/** The charge in USD of a call that an upstream of this type answers so, and its log entry. */
async function charged(type: string, model: string, answer: object, more: object = {}) {
  await site.addChannel({ type, base_url: raw.url, models: model, priority: 10 });
  raw.answer = whole(answer);
  const body = { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 10, ...more };
  const response = await site.call({ body });
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

  test('costs what the vendor asks above its limit', async () => {
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

test('a model with open weights costs what the host of the channel asks', async () => {
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
  const model = 'deepseek-ai/DeepSeek-V4-Flash';
  const listed = catalogPrices().get('deepseek-v4-flash');
  const hosted = listed?.variants.find(({ when }) => when.provider === 'deepinfra');
  const { usd, facts } = await charged('deepinfra', model, chatAnswer(usage));
  expect(usd).toBe(hosted?.rates?.input);
  expect(usd).toBeLessThan(listed?.rates.input ?? 0);
  expect(facts).toMatchObject({
    price_name: 'deepseek-v4-flash',
    rate_conditions: [{ provider: 'deepinfra' }],
  });
});
