/** The worked pricing examples through the whole gateway: reported usage and resulting charge. */
import { expect, test } from 'vitest';
import type { SiteCall } from '../../support/site.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { formBody, wav } from './media-calls.ts';

const GroupRatio = { default: 1, cheap: 0.8, dear: 1.5 };
// The example of a transcription was computed at this ratio.
const ModelRatio = { 'whisper-1': 15 };
const { site, raw } = await rawSite({
  options: { GroupRatio, ModelRatio, ModelPrice: { 'a-call': 0.02 } },
});
const channel = { base_url: raw.url, group: 'default,cheap,dear', priority: 10 };
await site.addChannel({
  ...channel,
  models:
    'gpt-4o,gpt-4o-mini,gpt-4o-audio-preview,whisper-1,text-embedding-3-small,a-call,dall-e-3',
});
await site.addChannel({ ...channel, type: 'claude', models: 'claude-3-5-sonnet' });

const MESSAGES = [{ role: 'user', content: 'hi' }];
const chat = (model: string): SiteCall => ({ body: { model, messages: MESSAGES } });
const claude: SiteCall = {
  path: '/v1/messages',
  body: { model: 'claude-3-5-sonnet', messages: MESSAGES, max_tokens: 100 },
};
const form = [
  { name: 'model', value: 'whisper-1' },
  { name: 'file', value: wav(61.2), filename: 'a.wav' },
];

const chatAnswer = (usage: object) => ({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage,
});
const claudeAnswer = (usage: object) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  usage,
});

const EXAMPLES: readonly (readonly [string, SiteCall, object, string, number])[] = [
  [
    'text: 1000 in, 500 out of gpt-4o',
    chat('gpt-4o'),
    chatAnswer({ prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }),
    'default',
    3750,
  ],
  [
    'cache and group: 1500 of 2000 read, group 0.8',
    chat('gpt-4o-mini'),
    chatAnswer({
      prompt_tokens: 2000,
      completion_tokens: 100,
      total_tokens: 2100,
      prompt_tokens_details: { cached_tokens: 1500 },
    }),
    'cheap',
    99,
  ],
  [
    'the console’s plain case: 400 of 1000 read',
    chat('gpt-4o-mini'),
    chatAnswer({
      prompt_tokens: 1000,
      completion_tokens: 200,
      total_tokens: 1200,
      prompt_tokens_details: { cached_tokens: 400 },
    }),
    'default',
    120,
  ],
  [
    'Claude: 2000 read, 400 written beside the prompt',
    claude,
    claudeAnswer({
      input_tokens: 100,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 400,
      output_tokens: 300,
    }),
    'default',
    3450,
  ],
  [
    'the console’s Claude case: 3637.5 is rounded half up',
    claude,
    claudeAnswer({
      input_tokens: 100,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 500,
      output_tokens: 300,
    }),
    'default',
    3638,
  ],
  ['a price per call, group 1.5', chat('a-call'), chatAnswer({ total_tokens: 9 }), 'dear', 15_000],
  [
    'pictures: dall-e-3 in hd, 1024x1792, two',
    {
      path: '/v1/images/generations',
      body: { model: 'dall-e-3', prompt: 'a', quality: 'hd', size: '1024x1792', n: 2 },
    },
    { created: 1, data: [{ url: 'https://a.example/1' }, { url: 'https://a.example/2' }] },
    'default',
    120_000,
  ],
  [
    'sound and text: 100/20 text, 50/30 audio',
    chat('gpt-4o-audio-preview'),
    chatAnswer({
      prompt_tokens: 150,
      completion_tokens: 50,
      total_tokens: 200,
      prompt_tokens_details: { audio_tokens: 50, text_tokens: 100 },
      completion_tokens_details: { audio_tokens: 30, text_tokens: 20 },
    }),
    'default',
    2425,
  ],
  [
    'a transcription of 61.2 s',
    { path: '/v1/audio/transcriptions', ...formBody(form) },
    { text: 'hi', usage: { type: 'duration', seconds: 61.2 } },
    'default',
    15_495,
  ],
  [
    'a tenth of a unit is one',
    { path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: 'hi' } },
    { data: [], usage: { prompt_tokens: 10, total_tokens: 10 } },
    'default',
    1,
  ],
];

test.each(EXAMPLES)('%s', async (_name, call, answer, group, units) => {
  raw.answer = whole(answer);
  const owner = await site.addUser({ group });
  const { key } = await site.addToken({ owner });
  const { status, requestId, text } = await site.call({ ...call, key });
  expect(status, text).toBe(200);
  const [charge] = await site.ledgerOf(requestId);
  expect([charge?.user_units, (await site.logOf(requestId))?.quota]).toEqual([-units, units]);
});
