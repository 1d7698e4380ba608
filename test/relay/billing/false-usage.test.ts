/** Usage that a call cannot have used: the gateway's own count is charged, and marked. */
import { expect, test } from 'vitest';
import { readFacts } from '../../../src/domain/logs/log-facts.ts';
import { ownFacts } from '../../../src/services/logs/log-view.ts';
import { rawSite } from '../raw-site.ts';
import { streamed, whole } from '../raw-upstream.ts';

const { site, raw, rawTenant } = await rawSite();

const message = { role: 'assistant', content: 'Hi' };
const chat = (usage: object) => ({
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
});
const HUGE = '1e308';
const LIES: readonly [string, object][] = [
  ['an endless prompt', { prompt_tokens: HUGE, completion_tokens: 5 }],
  ['an endless answer', { prompt_tokens: 10, completion_tokens: HUGE }],
  ['a text that is a number', { prompt_tokens: '1e400', completion_tokens: '9e99' }],
  [
    'cached tokens',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 1e9 } },
  ],
  [
    'reasoning',
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 1e9 },
    },
  ],
  ['searches', { prompt_tokens: 10, completion_tokens: 5, num_search_queries: 1e6 }],
];
const CASES = LIES.flatMap(([what, usage]) =>
  [false, true].map((stream) => ({ what, usage, stream })),
);

test.each(CASES)('$what, stream $stream, costs the own count', async ({ usage, stream }) => {
  const tenant = await rawTenant();
  const text = JSON.stringify(usage).replaceAll(`"${HUGE}"`, HUGE);
  raw.answer = stream
    ? streamed(
        { choices: [{ index: 0, delta: message, finish_reason: 'stop' }] },
        `{"choices":[],"usage":${text}}`,
        '[DONE]',
      )
    : whole(JSON.stringify(chat({})).replace('"usage":{}', `"usage":${text}`));
  const answer = await tenant.call({ max_tokens: 50, stream });
  expect(answer.status, answer.text).toBe(200);
  const { spent } = await tenant.bill();
  expect(spent.user).toBeGreaterThan(0);
  expect(spent.user).toBeLessThan(200);
  const log = await site.logOf(answer.requestId);
  expect(log?.usage_source).toBe('estimated');
  expect(JSON.parse(log?.other ?? '')).toHaveProperty('disbelieved_usage');
  expect(ownFacts(readFacts(log?.other ?? ''))).not.toHaveProperty('disbelieved_usage');
});

test('Claude and Gemini are not believed either', async () => {
  const parts = [{ text: 'Hi' }];
  const answers = [
    [
      14,
      '/v1/messages',
      {
        ...{ type: 'message', role: 'assistant', stop_reason: 'end_turn' },
        ...{ content: [{ type: 'text', text: 'Hi' }] },
        usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 1e300 },
      },
    ],
    [
      24,
      '/v1/chat/completions',
      {
        candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 1e12 },
      },
    ],
  ] as const;
  for (const [type, path, body] of answers) {
    const tenant = await rawTenant({ channel: { type } });
    raw.answer = whole(body);
    const answer = await tenant.call({}, { path, body: tenant.body({ max_tokens: 50 }) });
    expect(answer.status, answer.text).toBe(200);
    expect((await tenant.bill()).spent.user).toBeLessThan(200);
    expect((await site.logOf(answer.requestId))?.usage_source).toBe('estimated');
  }
});

test('an answer that is longer than a lowered limit is believed', async () => {
  const tenant = await rawTenant();
  raw.answer = whole(chat({ prompt_tokens: 60, completion_tokens: 20_000 }));
  const answer = await tenant.call({ max_tokens: 50 });
  await tenant.bill();
  const log = await site.logOf(answer.requestId);
  expect(log).toMatchObject({ usage_source: 'upstream', completion_tokens: 20_000 });
});
