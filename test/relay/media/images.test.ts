/** Pictures: drawn, edited and varied, streamed and whole, by tokens and by the piece. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSite, type Site } from '../../site.ts';
import { promptTokensOf } from '../../upstream/content/text.ts';
import { TOKENS_PER_PICTURE } from '../../upstream/media/openai-images.ts';
import { aLane, NOTHING, spareChannel } from '../lane.ts';
import { unitsOf } from '../units.ts';
import { callLane, eventsOf, formBody, logged, PICTURE, send, sendForm } from './studio.ts';

let site: Site;
beforeAll(async () => {
  const options = { RetryTimes: 1 };
  site = await aSite({ upstreams: 2, config: { clientGraceMs: 1 }, options });
});
afterAll(async () => {
  await site.settled();
  expect((await site.verify()).ok).toBe(true);
  await site.close();
});

const PROMPT = 'A fox in the snow';
const GENERATIONS = '/v1/images/generations';
const PRICE = { ratio: '5', completion: '4' } as const;

/** A lane whose upstream draws in tokens, as gpt-image does. */
async function tokenLane() {
  const lane = await aLane(site, { price: PRICE });
  await site.as({ kind: 'operator' }).channel.edit({
    id: lane.channel.id,
    model_mapping: JSON.stringify({ [lane.model]: 'gpt-image-2' }),
  });
  return lane;
}

describe('a picture', () => {
  test('is charged by the tokens that the upstream reports', async () => {
    const lane = await tokenLane();
    const answer = await send(lane, GENERATIONS, { prompt: PROMPT, n: 2, quality: 'medium' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).data).toHaveLength(2);
    const input = promptTokensOf(PROMPT);
    const output = 2 * TOKENS_PER_PICTURE;
    await lane.expectCharged(answer.requestId, {
      units: unitsOf({ input, output }, PRICE),
      source: 'upstream',
      prompt: input,
      completion: output,
    });
  });

  test('without reported usage counts 1,250 tokens by size and number', async () => {
    const lane = await aLane(site, { price: PRICE });
    const answer = await send(lane, GENERATIONS, { prompt: PROMPT, n: 2, size: '512x512' });
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
  ])('with a price per call costs by n and size: %j', async (wish, units) => {
    const lane = await callLane(site, 0.04);
    const answer = await send(lane, GENERATIONS, { prompt: PROMPT, ...wish });
    expect(await lane.bill()).toEqual(lane.charged(answer.requestId, units));
  });

  test('of dall-e-3 in hd and at 1024x1792 costs 1.5 x 2 times the price', async () => {
    const lane = await aLane(site);
    await site.as({ kind: 'operator' }).channel.edit({ id: lane.channel.id, models: ['dall-e-3'] });
    const wish = { model: 'dall-e-3', prompt: PROMPT, n: 2, size: '1024x1792', quality: 'hd' };
    const answer = await send(lane, GENERATIONS, wish);
    expect(await lane.bill()).toEqual(lane.charged(answer.requestId, 120_000));
    expect(await logged(lane, answer.requestId)).toMatchObject({
      calls: 6,
      image_size: '1024x1792',
      image_quality: 'hd',
      images: 2,
    });
  });

  test('is refused before the upstream hears of it when the balance covers one and two are wanted', async () => {
    const lane = await callLane(site, 0.04, { quota: 30_000 });
    const answer = await send(lane, GENERATIONS, { prompt: PROMPT, n: 2 });
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([
      403,
      'insufficient_user_quota',
    ]);
    expect(site.upstream.requests).toEqual([]);
    await lane.expectNothing(answer.requestId);
  });

  test('that no upstream could draw costs nothing', async () => {
    const lane = await callLane(site, 0.04);
    lane.script({ refuse: { status: 400, message: 'no' } });
    const answer = await send(lane, GENERATIONS, { prompt: PROMPT });
    expect(answer.status).toBe(400);
    await lane.expectNothing(answer.requestId);
  });

  test('is drawn by the next channel when the first breaks', async () => {
    const lane = await callLane(site, 0.04);
    const other = site.upstreams[1] ?? site.upstream;
    const spare = await spareChannel(lane, other);
    lane.script({ fault: { ending: 'reset', after: 'head' } });
    const answer = await send(lane, GENERATIONS, { prompt: PROMPT });
    expect(answer.status).toBe(200);
    expect((await lane.bill()).charges).toMatchObject([{ user: -20_000, channelId: spare.id }]);
  });
});

describe('a stream of pictures', () => {
  test('shows the parts, then the picture with its usage, and is charged by it', async () => {
    const lane = await tokenLane();
    const wish = { prompt: PROMPT, stream: true, partial_images: 2 };
    const answer = await send(lane, GENERATIONS, wish);
    const partial = 'image_generation.partial_image';
    const types = eventsOf(answer.text).map(({ type }) => type);
    expect(types).toEqual([partial, partial, 'image_generation.completed']);
    expect(answer.text).toContain('event: image_generation.completed\n');
    await lane.expectCharged(answer.requestId, {
      units: unitsOf({ input: promptTokensOf(PROMPT), output: TOKENS_PER_PICTURE }, PRICE),
      source: 'upstream',
      prompt: promptTokensOf(PROMPT),
      completion: TOKENS_PER_PICTURE,
    });
  });

  test('that breaks before the picture is whole costs nothing at a price per call', async () => {
    const lane = await callLane(site, 0.04);
    lane.script({ fault: { ending: 'end', after: 1 } });
    const wish = { prompt: PROMPT, stream: true, partial_images: 2 };
    const answer = await send(lane, GENERATIONS, wish);
    expect(eventsOf(answer.text).at(-1)).toMatchObject({
      error: { code: 'upstream_stream_interrupted' },
    });
    expect((await lane.bill()).spent).toEqual(NOTHING.spent);
  });

  test('is made of whole pictures where the upstream does not stream', async () => {
    const lane = await callLane(site, 0.04);
    lane.script({ answerAs: 'json' });
    const wish = { prompt: PROMPT, stream: true, n: 2, response_format: 'b64_json' };
    const answer = await send(lane, GENERATIONS, wish);
    expect(answer.headers['content-type']).toMatch('text/event-stream');
    expect(eventsOf(answer.text)).toMatchObject([
      { type: 'image_generation.completed', b64_json: expect.any(String) },
      { type: 'image_generation.completed', b64_json: expect.any(String) },
    ]);
    expect(await lane.bill()).toEqual(lane.charged(answer.requestId, 40_000));
  });
});

describe('an edit', () => {
  const parts = (model: string) => [
    // The model after the files, as some clients write it.
    { name: 'image[]', value: PICTURE, filename: 'fox 世界.png', type: 'image/png' },
    { name: 'image[]', value: PICTURE, filename: 'b.png', type: 'image/png' },
    { name: 'mask', value: PICTURE, filename: 'mask.png', type: 'image/png' },
    { name: 'prompt', value: 'more 世界' },
    { name: 'n', value: '2' },
    { name: 'model', value: model },
  ];

  test('reaches the upstream with the files as they came and the name it knows', async () => {
    const lane = await tokenLane();
    const answer = await sendForm(lane, '/v1/images/edits', parts(lane.model));
    expect(answer.status).toBe(200);
    const sent = site.upstream.requests.at(-1)?.body ?? '';
    expect(sent.split(PICTURE.toString('latin1'))).toHaveLength(4);
    expect(sent).toMatch(/name="model"\r\n\r\ngpt-image-2\r\n/);
    expect(sent).not.toContain(lane.model);
    expect(Buffer.from(sent, 'latin1').toString()).toContain('filename="fox 世界.png"');
    const output = 2 * TOKENS_PER_PICTURE;
    const input = promptTokensOf('more 世界') + 323;
    const units = unitsOf({ input, output }, PRICE);
    await lane.expectCharged(answer.requestId, {
      units,
      source: 'upstream',
      prompt: input,
      completion: output,
    });
  });

  test('that lacks its picture names the field', async () => {
    const lane = await callLane(site, 0.04);
    const fields = parts(lane.model).filter(({ filename }) => filename === undefined);
    const answer = await sendForm(lane, '/v1/images/edits', fields);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code: 'missing_required_parameter',
      param: 'image',
    });
  });

  test('a variation is charged by the piece', async () => {
    const lane = await callLane(site, 0.02);
    const answer = await sendForm(lane, '/v1/images/variations', [
      { name: 'model', value: lane.model },
      { name: 'image', value: PICTURE, filename: 'a.png', type: 'image/png' },
      { name: 'n', value: '3' },
      { name: 'size', value: '256x256' },
    ]);
    expect(answer.status).toBe(200);
    expect(await lane.bill()).toEqual(lane.charged(answer.requestId, 12_000));
  });
});

describe('what is refused', () => {
  test.each([
    [{}, 'prompt', 'missing_required_parameter'],
    [{ prompt: PROMPT, n: 0 }, 'n', 'invalid_value'],
    [{ prompt: PROMPT, n: 11 }, 'n', 'invalid_value'],
    [{ prompt: PROMPT, size: '1024×1024' }, 'size', 'invalid_value'],
    [{ prompt: PROMPT, stream: 'yes' }, 'stream', 'invalid_value'],
    [{ prompt: PROMPT, model: 'dall-e-3', size: '512x512' }, 'size', 'invalid_value'],
    [{ prompt: PROMPT, model: ['a', 'b'] }, 'model', 'invalid_value'],
  ])('%j names %s', async (wish, param, code) => {
    const answer = await site.call({ path: GENERATIONS, body: { model: 'gpt-image-2', ...wish } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({ param, code });
  });

  test('a model named twice in a form', async () => {
    const lane = await callLane(site, 0.04);
    const answer = await sendForm(lane, '/v1/images/variations', [
      { name: 'model', value: lane.model },
      { name: 'model', value: 'gpt-image-2' },
      { name: 'image', value: PICTURE, filename: 'a.png' },
    ]);
    expect(JSON.parse(answer.text).error).toMatchObject({ param: 'model', code: 'invalid_value' });
  });

  test('a model that is a file as well', async () => {
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

  test('words of the operator’s list in the prompt of a form', async () => {
    const lane = await callLane(site, 0.04);
    await site.option('CheckSensitiveEnabled', true);
    await site.option('CheckSensitiveOnPromptEnabled', true);
    await site.option('SensitiveWords', 'zzforbidden');
    const answer = await sendForm(lane, '/v1/images/edits', [
      { name: 'model', value: lane.model },
      { name: 'image', value: PICTURE, filename: 'a.png' },
      { name: 'prompt', value: 'a ZZForbidden thing' },
    ]);
    await site.option('SensitiveWords', '');
    expect(JSON.parse(answer.text).error.code).toBe('sensitive_words_detected');
  });
});

test('a channel without pictures is passed by, and one that lacks a field too', async () => {
  const lane = await callLane(site, 0.04, { channel: { type: 'moonshot' } });
  const path = GENERATIONS;
  const none = await send(lane, path, { prompt: PROMPT });
  expect(JSON.parse(none.text).error.code).toBe('endpoint_not_supported');
  const zhipu = { type: 'zhipu-v4', base_url: `${site.upstream.url}/zhipu` };
  await site.addChannel({ models: lane.model, ...zhipu, priority: 5 });
  const two = await send(lane, path, { prompt: PROMPT, n: 2 });
  expect([two.status, JSON.parse(two.text).error]).toMatchObject([
    400,
    { param: 'n', code: 'unsupported_parameter' },
  ]);
  await lane.expectNothing(two.requestId);
  await spareChannel(lane, site.upstream);
  const drawn = await send(lane, path, { prompt: PROMPT, n: 2 });
  expect(JSON.parse(drawn.text).data).toHaveLength(2);
});
