/** Images: generated, edited and varied, streamed and whole, priced by tokens and per image. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { promptTokensOf } from '../../upstream/content/text.ts';
import { TOKENS_PER_PICTURE } from '../../upstream/media/openai-images.ts';
import { addTenant, NOTHING, spareChannel } from '../tenant.ts';
import { unitsOf } from '../units.ts';
import {
  callAsTenant,
  eventsOf,
  formBody,
  logged,
  PICTURE,
  send,
  sendForm,
} from './media-calls.ts';

const options = { RetryTimes: 1 };
const site = await sharedSite({ upstreams: 2, config: { clientGraceMs: 1 }, options });

const PROMPT = 'A fox in the snow';
const GENERATIONS = '/v1/images/generations';
const PRICE = { ratio: '5', completion: '4' } as const;

/** A tenant whose upstream reports image tokens, like gpt-image. */
const tokenTenant = () => addTenant(site, { price: PRICE, upstreamModel: 'gpt-image-2' });

describe('an image', () => {
  test('is charged by the tokens that the upstream reports', async () => {
    const tenant = await tokenTenant();
    const answer = await send(tenant, GENERATIONS, { prompt: PROMPT, n: 2, quality: 'medium' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).data).toHaveLength(2);
    const input = promptTokensOf(PROMPT);
    const output = 2 * TOKENS_PER_PICTURE;
    await tenant.expectCharged(answer.requestId, {
      units: unitsOf({ input, output }, PRICE),
      source: 'upstream',
      prompt: input,
      completion: output,
    });
  });

  test('without reported usage counts 1,250 tokens by size and number', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    const answer = await send(tenant, GENERATIONS, { prompt: PROMPT, n: 2, size: '512x512' });
    const row = await site.logOf(answer.requestId);
    expect(row).toMatchObject({ usage_source: 'estimated', completion_tokens: 2 * 1250 * 0.45 });
    const input = row?.prompt_tokens ?? 0;
    expect(row?.quota).toBe(unitsOf({ input, output: 1125 }, PRICE));
  });

  test.each([
    [{ n: 1 }, 20_000],
    [{ n: 3 }, 60_000],
    [{ n: 2, size: '256x256' }, 16_000],
    [{ size: '512x512' }, 9_000],
    [{ size: '1792x1024' }, 40_000],
    [{ size: 'auto' }, 20_000],
  ])('with a price per call is charged by n and size: %j', async (params, units) => {
    const tenant = await callAsTenant(site, 0.04);
    const answer = await send(tenant, GENERATIONS, { prompt: PROMPT, ...params });
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, units));
  });

  test('of dall-e-3 in hd and at 1024x1792 costs 1.5 x 2 times the price', async () => {
    const tenant = await addTenant(site);
    await site
      .as({ kind: 'operator' })
      .channel.edit({ id: tenant.channel.id, models: ['dall-e-3'] });
    const params = { model: 'dall-e-3', prompt: PROMPT, n: 2, size: '1024x1792', quality: 'hd' };
    const answer = await send(tenant, GENERATIONS, params);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 120_000));
    expect(await logged(tenant, answer.requestId)).toMatchObject({
      calls: 6,
      image_size: '1024x1792',
      image_quality: 'hd',
      images: 2,
    });
  });

  test('is refused before the upstream call when the balance covers one of two', async () => {
    const tenant = await callAsTenant(site, 0.04, { quota: 30_000 });
    const answer = await send(tenant, GENERATIONS, { prompt: PROMPT, n: 2 });
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([
      402,
      'insufficient_user_quota',
    ]);
    expect(site.upstream.requests).toEqual([]);
    await tenant.expectNothing(answer.requestId);
  });
});

describe('a stream of images', () => {
  test('sends partial images, then the image with its usage, and is charged by it', async () => {
    const tenant = await tokenTenant();
    const params = { prompt: PROMPT, stream: true, partial_images: 2 };
    const answer = await send(tenant, GENERATIONS, params);
    const partial = 'image_generation.partial_image';
    const types = eventsOf(answer.text).map(({ type }) => type);
    expect(types).toEqual([partial, partial, 'image_generation.completed']);
    expect(answer.text).toContain('event: image_generation.completed\n');
    await tenant.expectCharged(answer.requestId, {
      units: unitsOf({ input: promptTokensOf(PROMPT), output: TOKENS_PER_PICTURE }, PRICE),
      source: 'upstream',
      prompt: promptTokensOf(PROMPT),
      completion: TOKENS_PER_PICTURE,
    });
  });

  test('that breaks before the image is complete costs nothing at a price per call', async () => {
    const tenant = await callAsTenant(site, 0.04);
    tenant.script({ fault: { ending: 'end', after: 1 } });
    const params = { prompt: PROMPT, stream: true, partial_images: 2 };
    const answer = await send(tenant, GENERATIONS, params);
    expect(eventsOf(answer.text).at(-1)).toMatchObject({
      error: { code: 'upstream_stream_interrupted' },
    });
    expect((await tenant.bill()).spent).toEqual(NOTHING.spent);
  });

  test('is built from whole images if the upstream does not stream', async () => {
    const tenant = await callAsTenant(site, 0.04);
    tenant.script({ answerAs: 'json' });
    const params = { prompt: PROMPT, stream: true, n: 2, response_format: 'b64_json' };
    const answer = await send(tenant, GENERATIONS, params);
    expect(answer.headers['content-type']).toMatch('text/event-stream');
    expect(eventsOf(answer.text)).toMatchObject([
      { type: 'image_generation.completed', b64_json: expect.any(String) },
      { type: 'image_generation.completed', b64_json: expect.any(String) },
    ]);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 40_000));
  });
});

describe('an image edit', () => {
  const parts = (model: string) => [
    // The model after the files, as some clients send it.
    { name: 'image[]', value: PICTURE, filename: 'fox 世界.png', type: 'image/png' },
    { name: 'image[]', value: PICTURE, filename: 'b.png', type: 'image/png' },
    { name: 'mask', value: PICTURE, filename: 'mask.png', type: 'image/png' },
    { name: 'prompt', value: 'more 世界' },
    { name: 'n', value: '2' },
    { name: 'model', value: model },
  ];

  test('forwards the files unchanged under the mapped model name', async () => {
    const tenant = await tokenTenant();
    const answer = await sendForm(tenant, '/v1/images/edits', parts(tenant.model));
    expect(answer.status).toBe(200);
    const sent = site.upstream.requests.at(-1)?.body ?? '';
    expect(sent.split(PICTURE.toString('latin1'))).toHaveLength(4);
    expect(sent).toMatch(/name="model"\r\n\r\ngpt-image-2\r\n/);
    expect(sent).not.toContain(tenant.model);
    expect(Buffer.from(sent, 'latin1').toString()).toContain('filename="fox 世界.png"');
    const output = 2 * TOKENS_PER_PICTURE;
    const input = promptTokensOf('more 世界') + 323;
    const units = unitsOf({ input, output }, PRICE);
    await tenant.expectCharged(answer.requestId, {
      units,
      source: 'upstream',
      prompt: input,
      completion: output,
    });
  });

  test('without an image is refused by the name of the field', async () => {
    const tenant = await callAsTenant(site, 0.04);
    const fields = parts(tenant.model).filter(({ filename }) => filename === undefined);
    const answer = await sendForm(tenant, '/v1/images/edits', fields);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code: 'missing_required_parameter',
      param: 'image',
    });
  });

  test('as a variation is charged per image', async () => {
    const tenant = await callAsTenant(site, 0.02);
    const answer = await sendForm(tenant, '/v1/images/variations', [
      { name: 'model', value: tenant.model },
      { name: 'image', value: PICTURE, filename: 'a.png', type: 'image/png' },
      { name: 'n', value: '3' },
      { name: 'size', value: '256x256' },
    ]);
    expect(answer.status).toBe(200);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 12_000));
  });
});

describe('a refused image request', () => {
  test.each([
    [{}, 'prompt', 'missing_required_parameter'],
    [{ prompt: PROMPT, n: 0 }, 'n', 'invalid_value'],
    [{ prompt: PROMPT, n: 11 }, 'n', 'invalid_value'],
    [{ prompt: PROMPT, size: '1024×1024' }, 'size', 'invalid_value'],
    [{ prompt: PROMPT, stream: 'yes' }, 'stream', 'invalid_value'],
    [{ prompt: PROMPT, model: 'dall-e-3', size: '512x512' }, 'size', 'invalid_value'],
    [{ prompt: PROMPT, model: ['a', 'b'] }, 'model', 'invalid_value'],
  ])('%j is refused by the field %s', async (params, param, code) => {
    const answer = await site.call({
      path: GENERATIONS,
      body: { model: 'gpt-image-2', ...params },
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({ param, code });
  });

  test('has a model named twice in a form', async () => {
    const tenant = await callAsTenant(site, 0.04);
    const answer = await sendForm(tenant, '/v1/images/variations', [
      { name: 'model', value: tenant.model },
      { name: 'model', value: 'gpt-image-2' },
      { name: 'image', value: PICTURE, filename: 'a.png' },
    ]);
    expect(JSON.parse(answer.text).error).toMatchObject({ param: 'model', code: 'invalid_value' });
  });

  test('has a model that is also a file', async () => {
    const answer = await site.call({
      path: '/v1/images/variations',
      ...formBody([
        { name: 'model', value: 'dall-e-2' },
        { name: 'model', value: 'gpt-image-2', filename: 'model' },
        { name: 'image', value: PICTURE, filename: 'a.png' },
      ]),
    });
    expect(JSON.parse(answer.text).error).toMatchObject({ param: 'model', code: 'invalid_value' });
  });

  test('has a sensitive word in the prompt of a form', async () => {
    const tenant = await callAsTenant(site, 0.04);
    await site.option('CheckSensitiveEnabled', true);
    await site.option('CheckSensitiveOnPromptEnabled', true);
    await site.option('SensitiveWords', 'zzforbidden');
    const answer = await sendForm(tenant, '/v1/images/edits', [
      { name: 'model', value: tenant.model },
      { name: 'image', value: PICTURE, filename: 'a.png' },
      { name: 'prompt', value: 'a ZZForbidden thing' },
    ]);
    await site.option('SensitiveWords', '');
    expect(JSON.parse(answer.text).error.code).toBe('sensitive_words_detected');
  });
});

test('channels without images, or without a required field, are skipped', async () => {
  const tenant = await callAsTenant(site, 0.04, { channel: { type: 'moonshot' } });
  const path = GENERATIONS;
  const none = await send(tenant, path, { prompt: PROMPT });
  expect(JSON.parse(none.text).error.code).toBe('endpoint_not_supported');
  const zhipu = { type: 'zhipu-v4', base_url: `${site.upstream.url}/zhipu` };
  await site.addChannel({ models: tenant.model, ...zhipu, priority: 5 });
  const two = await send(tenant, path, { prompt: PROMPT, n: 2 });
  expect([two.status, JSON.parse(two.text).error]).toMatchObject([
    400,
    { param: 'n', code: 'unsupported_parameter' },
  ]);
  await tenant.expectNothing(two.requestId);
  await spareChannel(tenant, site.upstream);
  const drawn = await send(tenant, path, { prompt: PROMPT, n: 2 });
  expect(JSON.parse(drawn.text).data).toHaveLength(2);
});
