/** Providers with words of their own: asked in theirs, answered in OpenAI's. The fake ones refuse every field they do not know. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSite, type Site } from '../../site.ts';
import { soundOf, TRANSCRIPT } from '../../upstream/media/openai-audio.ts';
import { aLane } from '../lane.ts';
import { callLane, PICTURE, send, sendForm, wav } from './studio.ts';

let site: Site;
beforeAll(async () => {
  site = await aSite({ config: { clientGraceMs: 1 } });
});
afterAll(async () => {
  await site.settled();
  expect((await site.verify()).ok).toBe(true);
  await site.close();
});

/** Everything that clients of OpenAI's may send along. */
const WISH = {
  prompt: 'a fox',
  size: '1024x1536',
  quality: 'hd',
  style: 'vivid',
  response_format: 'b64_json',
  user: 'u-1',
};

interface Place {
  readonly type: string;
  readonly root?: string;
  readonly other?: string;
  readonly mapped?: string;
}

async function vendorLane({ type, root = '', other = '', mapped }: Place) {
  const channel = { type, base_url: site.upstream.url + root, other };
  const lane = await callLane(site, 0.04, { channel });
  if (mapped !== undefined)
    await site.as({ kind: 'operator' }).channel.edit({
      id: lane.channel.id,
      model_mapping: JSON.stringify({ [lane.model]: mapped }),
    });
  return lane;
}

/** What the upstream was sent last, as JSON. */
function asked() {
  return JSON.parse(site.upstream.requests.at(-1)?.body ?? '{}');
}

describe('pictures', () => {
  const CLOUDFLARE = { type: 'cloudflare', other: 'acct', mapped: '@cf/draw' };

  test.each([
    ['siliconflow', { type: 'siliconflow', root: '/siliconflow' }, 2],
    ['zhipu', { type: 'zhipu-v4', root: '/zhipu' }, 1],
    ['xai', { type: 'xai', root: '/xai' }, 2],
    ['minimax', { type: 'minimax' }, 2],
    ['alibaba', { type: 'alibaba' }, 2],
    ['cloudflare', CLOUDFLARE, 1],
    ['gemini', { type: 'gemini', mapped: 'gemini-3-pro-image' }, 1],
    ['imagen', { type: 'gemini', mapped: 'imagen-4.0-generate-001' }, 2],
  ] as const)('are drawn by %s', async (_name, place, n) => {
    const lane = await vendorLane(place);
    const answer = await send(lane, '/v1/images/generations', { ...WISH, n });
    expect(answer.status, answer.text).toBe(200);
    const { data } = JSON.parse(answer.text);
    expect(data).toHaveLength(n);
    for (const image of data) expect(image.url ?? image.b64_json).toMatch(/^https:|^[\w+/=]+$/);
    expect(await lane.bill()).toEqual(lane.charged(answer.requestId, n * 20_000));
  });

  test('that come as bytes are packed', async () => {
    const lane = await vendorLane(CLOUDFLARE);
    lane.script({ contentType: 'image/png' });
    const answer = await send(lane, '/v1/images/generations', { prompt: 'a fox' });
    const { data } = JSON.parse(answer.text);
    expect(Buffer.from(data[0].b64_json, 'base64').toString()).toBe('picture of a fox');
  });

  test('of Volcengine are a sequence, and edits go as JSON', async () => {
    const lane = await vendorLane({ type: 'volcengine', root: '/ark' });
    const drawn = await send(lane, '/v1/images/generations', { ...WISH, n: 3 });
    expect(JSON.parse(drawn.text).data).toHaveLength(3);
    expect(asked().sequential_image_generation_options).toEqual({ max_images: 3 });
    const edited = await sendForm(lane, '/v1/images/edits', [
      { name: 'model', value: lane.model },
      { name: 'prompt', value: 'more snow' },
      { name: 'image', value: PICTURE, filename: 'a.png', type: 'image/png' },
    ]);
    expect(edited.status, edited.text).toBe(200);
    expect(asked().image).toBe(`data:image/png;base64,${PICTURE.toString('base64')}`);
  });

  test('of DashScope take a picture to edit as well', async () => {
    const lane = await vendorLane({ type: 'alibaba' });
    const edited = await sendForm(lane, '/v1/images/edits', [
      { name: 'model', value: lane.model },
      { name: 'prompt', value: 'more snow' },
      { name: 'size', value: '1024x1024' },
      { name: 'image', value: PICTURE, filename: 'a.png', type: 'image/png' },
    ]);
    expect(edited.status, edited.text).toBe(200);
    expect(asked().parameters).toEqual({ size: '1024*1024' });
    expect(asked().input.messages[0].content).toHaveLength(2);
  });

  const BY_TASK = [
    ['alibaba', { type: 'alibaba', mapped: 'wan2.2-t2i-flash' }, 2],
    ['replicate', { type: 'replicate', mapped: 'black-forest-labs/flux-schnell' }, 1],
  ] as const;

  test.each(BY_TASK)('of %s that take their time are waited for', async (_name, place, n) => {
    const lane = await vendorLane(place);
    lane.script({}, 'still-runs', 'status:502');
    const wish = { prompt: 'a fox', size: '1024x1024', n };
    const answer = await send(lane, '/v1/images/generations', wish);
    expect(answer.status, answer.text).toBe(200);
    const { data } = JSON.parse(answer.text);
    expect(data).toHaveLength(n);
    expect(data[0].url).toMatch(/^https:/);
    expect(await lane.bill()).toEqual(lane.charged(answer.requestId, n * 20_000));
    const asked = site.upstream.requests.slice(-4).map(({ method }) => method);
    expect(asked).toEqual(['POST', 'GET', 'GET', 'GET']);
  });

  test.each(BY_TASK)('of %s that fail after all cost nothing', async (_name, place) => {
    const lane = await vendorLane(place);
    const answer = await send(lane, '/v1/images/generations', { prompt: 'a forbidden fox' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).toMatch(/inappropriate|NSFW/);
    await lane.expectNothing(answer.requestId);
  });

  test('that take their time are not waited for once the client is gone, and cost nothing', async () => {
    const lane = await vendorLane({ type: 'alibaba', mapped: 'wan2.2-t2i-flash' });
    site.upstream.setDefault('still-runs');
    const leaving = new AbortController();
    const call = site.call({
      path: '/v1/images/generations',
      key: lane.token.key,
      body: { model: lane.model, prompt: 'a slow fox' },
      signal: leaving.signal,
    });
    const { byEndpoint } = site.upstream.stats;
    const before = byEndpoint.task;
    await site.upstream.until((stats) => stats.byEndpoint.task > before);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await lane.expectNothing();
    site.upstream.reset();
  });

  test('of Gemini are edited from what is sent, and refused in words', async () => {
    const lane = await vendorLane({ type: 'gemini', mapped: 'gemini-3-pro-image' });
    const edit = () =>
      sendForm(lane, '/v1/images/edits', [
        { name: 'model', value: lane.model },
        { name: 'prompt', value: 'more snow' },
        { name: 'image', value: PICTURE, filename: 'a.png', type: 'image/png' },
      ]);
    const edited = await edit();
    expect(edited.status, edited.text).toBe(200);
    expect(asked().contents[0].parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: PICTURE.toString('base64') } },
      { text: 'more snow' },
    ]);
    lane.script('content-filter');
    expect(JSON.parse((await edit()).text).error).toMatchObject({
      code: 'content_policy_violation',
      message: expect.stringContaining('SAFETY'),
    });
  });

  test('of DashScope’s older models are no edits', async () => {
    const lane = await vendorLane({ type: 'alibaba', mapped: 'wanx2.1-t2i-turbo' });
    const edited = await sendForm(lane, '/v1/images/edits', [
      { name: 'model', value: lane.model },
      { name: 'prompt', value: 'more snow' },
      { name: 'image', value: PICTURE, filename: 'a.png', type: 'image/png' },
    ]);
    expect(JSON.parse(edited.text).error.code).toBe('unsupported_parameter');
  });

  test('of Azure are drawn by the deployment', async () => {
    const lane = await vendorLane({ type: 'azure', other: '2024-10-21' });
    const answer = await send(lane, '/v1/images/generations', { prompt: 'a fox' });
    expect(answer.status, answer.text).toBe(200);
    expect(site.upstream.requests.at(-1)?.path).toBe(
      `/openai/deployments/${lane.model}/images/generations?api-version=2024-10-21`,
    );
  });

  test('follow the last word of the operator', async () => {
    const channel = {
      type: 'siliconflow',
      base_url: `${site.upstream.url}/siliconflow`,
      param_override: '{"num_inference_steps":20}',
    };
    const lane = await callLane(site, 0.04, { channel });
    await send(lane, '/v1/images/generations', { prompt: 'a fox' });
    expect(asked()).toMatchObject({ num_inference_steps: 20 });
  });
});

describe('sound', () => {
  test('of MiniMax comes out of its JSON, charged by the characters it tells', async () => {
    const lane = await aLane(site, {
      price: { ratio: '30', completion: '1' },
      channel: { type: 'minimax' },
    });
    const wish = { input: 'Say 世界.', voice: 'male-qn', speed: 1.2, response_format: 'wav' };
    const answer = await send(lane, '/v1/audio/speech', wish);
    expect(answer.headers['content-type']).toBe('audio/wav');
    expect(answer.bytes.equals(soundOf(wish.input))).toBe(true);
    await lane.expectCharged(answer.requestId, {
      units: 7 * 30,
      source: 'upstream',
      prompt: 7,
      completion: 0,
    });
  });

  test('of MiniMax is refused in a form that it cannot make', async () => {
    const lane = await vendorLane({ type: 'minimax' });
    const wish = { input: 'Say it.', voice: 'male-qn', response_format: 'opus' };
    const answer = await send(lane, '/v1/audio/speech', wish);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code: 'unsupported_parameter',
      param: 'response_format',
    });
    await lane.expectNothing(answer.requestId);
  });

  test('of DashScope is fetched from where it lies', async () => {
    const lane = await aLane(site, {
      price: { ratio: '30', completion: '1' },
      channel: { type: 'alibaba' },
    });
    const answer = await send(lane, '/v1/audio/speech', { input: 'Say 世界.', voice: 'alloy' });
    expect(answer.headers['content-type']).toBe('audio/wav');
    expect(answer.bytes.equals(soundOf('Say 世界.'))).toBe(true);
    await lane.expectCharged(answer.requestId, {
      units: 7 * 30,
      source: 'upstream',
      prompt: 7,
      completion: 0,
    });
    const mp3 = { input: 'Say it.', voice: 'Cherry', response_format: 'mp3' };
    const refused = await send(lane, '/v1/audio/speech', mp3);
    expect(JSON.parse(refused.text).error.param).toBe('response_format');
  });

  test('goes to Workers AI as bytes alone', async () => {
    const lane = await vendorLane({ type: 'cloudflare', other: 'acct', mapped: '@cf/hear' });
    const answer = await sendForm(lane, '/v1/audio/transcriptions', [
      { name: 'model', value: lane.model },
      { name: 'file', value: wav(1), filename: 'a.wav', type: 'audio/wav' },
    ]);
    expect(JSON.parse(answer.text)).toEqual({ text: TRANSCRIPT });
    const sent = site.upstream.requests.at(-1);
    expect([sent?.headers['content-type'], sent?.body]).toEqual([
      'audio/wav',
      wav(1).toString('latin1'),
    ]);
  });
});

test('Workers AI ranks by contexts', async () => {
  const lane = await vendorLane({ type: 'cloudflare', other: 'acct', mapped: '@cf/rank' });
  const wish = { query: 'fox', documents: ['a', 'a fox'], top_n: 1 };
  const answer = await send(lane, '/v1/rerank', wish);
  expect(JSON.parse(answer.text).results).toEqual([{ index: 1, relevance_score: 1 }]);
});
