/** Images of Gemini at OpenAI's endpoints: only image tokens have the rate of images. */
import { expect, test } from 'vitest';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';
import { sendForm } from './media-calls.ts';

const { site, raw } = await rawSite();

const RATES = { input: 2, output: 8, image_input: 6, image_output: 80 };
const parts = [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }];
const usageMetadata = {
  promptTokenCount: 326,
  candidatesTokenCount: 2_340,
  thoughtsTokenCount: 337,
  totalTokenCount: 3_003,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 300 },
    { modality: 'IMAGE', tokenCount: 26 },
  ],
};
const detailed = { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 2_000 }] };
const INPUT = 300 * 2 + 26 * 6;

test.each([
  ['generations', 'text and thoughts', detailed, INPUT + (340 + 337) * 8 + 2_000 * 80],
  ['edits', 'text and thoughts', detailed, INPUT + (340 + 337) * 8 + 2_000 * 80],
  ['generations', 'thoughts, without details', {}, INPUT + 337 * 8 + 2_340 * 80],
])('%s: %s have the rate of text', async (endpoint, _what, details, perMillion) => {
  const tenant = await addTenant(site, {
    channel: { type: 24, base_url: raw.url },
    ...{ upstreamModel: 'gemini-3-pro-image', price: 'none' },
  });
  await site.option('ModelRates', { [tenant.model]: { rates: RATES } });
  const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP' }];
  raw.answer = whole({ candidates, usageMetadata: { ...usageMetadata, ...details } });
  const body = { model: tenant.model, prompt: 'a fox' };
  const answer =
    endpoint === 'edits'
      ? await sendForm(tenant, '/v1/images/edits', [
          { name: 'model', value: tenant.model },
          { name: 'prompt', value: 'a fox' },
          { name: 'image', value: Buffer.from('hi'), filename: 'a.png', type: 'image/png' },
        ])
      : await tenant.call({}, { path: '/v1/images/generations', body });
  expect(answer.status, answer.text).toBe(200);
  expect((await tenant.bill()).spent.user).toBe(Math.round(perMillion / 2));
});
