/** The official SDK, unmodified, on the image, audio, embeddings and moderation endpoints. */
import OpenAI, { toFile } from 'openai';
import { expect, test } from 'vitest';
import { itemsOf } from '../../support/items-of.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { soundOf, TRANSCRIPT } from '../../upstream/media/openai-audio.ts';
import { picture } from '../../upstream/media/openai-images.ts';
import { PICTURE, wav } from './media-calls.ts';

const site = await sharedSite({ config: { clientGraceMs: 1 } });
const client = new OpenAI({ apiKey: site.token.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
const models = 'gpt-image-2,gpt-4o-mini-tts,gpt-4o-transcribe,whisper-1,omni-moderation-latest';
await site.addChannel({ models });

const PARAMS = { model: 'gpt-image-2', prompt: 'a fox' } as const;

test('images.generate', async () => {
  const { data, usage } = await client.images.generate({ ...PARAMS, n: 2 });
  expect(data?.map(({ b64_json }) => b64_json)).toEqual([picture('a fox 0'), picture('a fox 1')]);
  expect(usage?.output_tokens).toBeGreaterThan(0);
});

test('images.generate, streamed', async () => {
  const stream = await client.images.generate({ ...PARAMS, stream: true, partial_images: 1 });
  const events = await itemsOf(stream);
  expect(events.map(({ type }) => type)).toEqual([
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
});

test('images.edit with several files', async () => {
  const image = [await toFile(PICTURE, 'a.png'), await toFile(PICTURE, 'b.png')];
  const { data } = await client.images.edit({ ...PARAMS, image });
  expect(data).toHaveLength(1);
});

test('audio.speech', async () => {
  const speech = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Say it.' };
  const answer = await client.audio.speech.create(speech);
  expect(Buffer.from(await answer.arrayBuffer()).equals(soundOf('Say it.'))).toBe(true);
});

test('audio.transcriptions, plain and streamed', async () => {
  const file = await toFile(wav(2), 'a.wav');
  const plain = await client.audio.transcriptions.create({ model: 'whisper-1', file });
  expect(plain.text).toBe(TRANSCRIPT);
  const params = { model: 'gpt-4o-transcribe', file, stream: true } as const;
  const events = await itemsOf(await client.audio.transcriptions.create(params));
  expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: TRANSCRIPT });
});

test('audio.translations', async () => {
  const file = await toFile(wav(2), 'a.wav');
  const answer = await client.audio.translations.create({ model: 'whisper-1', file });
  expect(answer.text).toBe(TRANSCRIPT);
});

test('embeddings, requested as base64 by the SDK', async () => {
  const params = { model: 'text-embedding-3-small', input: ['a', 'b'], dimensions: 4 };
  const { data } = await client.embeddings.create(params);
  expect(data.map(({ embedding }) => embedding.length)).toEqual([4, 4]);
});

test('moderations', async () => {
  const { results } = await client.moderations.create({ input: 'violence' });
  expect(results[0]?.flagged).toBe(true);
});
