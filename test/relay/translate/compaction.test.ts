/** Clients of the Responses API let Claude replace a long conversation by a summary. */
import { expect, test } from 'vitest';
import { rawSite } from '../raw-site.ts';
import { streamed, whole } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';

const { site, raw } = await rawSite();

const SUMMARY = 'Ada wants a kite.';
const usage = { input_tokens: 9, output_tokens: 3 };
const ANSWER = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
  content: [
    { type: 'compaction', content: SUMMARY },
    { type: 'text', text: 'Fine' },
  ],
  ...{ stop_reason: 'end_turn', usage },
};
const DELTAS = [
  { type: 'compaction_delta', content: SUMMARY },
  { type: 'text_delta', text: 'Fine' },
];
const FRAMES = [
  { type: 'message_start', message: { ...ANSWER, content: [], stop_reason: null } },
  ...[
    { type: 'compaction', content: null },
    { type: 'text', text: '' },
  ].flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta: DELTAS[index] },
    { type: 'content_block_stop', index },
  ]),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
  { type: 'message_stop' },
];

async function respond(
  input: unknown,
  { type = 14 as number | string, upstreamModel = 'claude-opus-5', extra = {} } = {},
) {
  const tenant = await addTenant(site, { channel: { type, base_url: raw.url }, upstreamModel });
  const body = { model: tenant.model, input, max_output_tokens: 50, store: false, ...extra };
  const answer = await tenant.call({}, { path: '/v1/responses', body });
  expect(answer.status, answer.text).toBe(200);
  const sent = raw.requests.at(-1);
  return { text: answer.text, headers: sent?.headers, sent: JSON.parse(sent?.body ?? '') };
}

const compactAt = (compact_threshold: number | null) => ({
  context_management: [{ type: 'compaction', compact_threshold }],
});

/** The items of an answer that begins with a summary. */
async function compacted(stream: boolean): Promise<readonly object[]> {
  raw.answer = stream ? streamed(...FRAMES) : whole(ANSWER);
  const { text } = await respond('Hi', { extra: { ...compactAt(200_000), stream } });
  if (!stream) return JSON.parse(text).output;
  const done = text
    .split('\n')
    .find((line) => line.startsWith('data: {"type":"response.completed"'));
  return JSON.parse(done?.slice('data: '.length) ?? '').response.output;
}

test.each([
  [200_000, { trigger: { type: 'input_tokens', value: 200_000 } }],
  [1_000, { trigger: { type: 'input_tokens', value: 50_000 } }],
  [null, {}],
])('the threshold %s is that of Claude', async (threshold, trigger) => {
  raw.answer = whole(ANSWER);
  const { sent, headers } = await respond('Hi', { extra: compactAt(threshold) });
  expect(sent.context_management).toEqual({ edits: [{ type: 'compact_20260112', ...trigger }] });
  expect(headers?.['anthropic-beta']).toBe('compact-2026-01-12');
});

test('a model that cannot do it is not asked to', async () => {
  raw.answer = whole(ANSWER);
  const upstreamModel = 'claude-sonnet-4-5';
  const { sent } = await respond('Hi', { upstreamModel, extra: compactAt(200_000) });
  expect(sent).not.toHaveProperty('context_management');
});

test.each([false, true])(
  'the summary is an item that can be sent back, stream %s',
  async (stream) => {
    const output = await compacted(stream);
    expect(output).toMatchObject([
      {
        type: 'compaction',
        id: expect.stringMatching(/^cmp_/),
        encrypted_content: expect.any(String),
      },
      { type: 'message', content: [{ text: 'Fine' }] },
    ]);
    const input = [
      { role: 'user', content: 'Long ago' },
      ...output,
      { role: 'user', content: 'So?' },
    ];
    const { sent } = await respond(input);
    const texts = JSON.stringify(sent.messages);
    expect(texts).toContain(JSON.stringify({ type: 'compaction', content: SUMMARY }));
    expect(texts).not.toContain('Long ago');
  },
);

test.each([
  [
    'a chat upstream',
    'vllm',
    {
      choices: [{ index: 0, message: { role: 'assistant', content: 'k' }, finish_reason: 'stop' }],
    },
  ],
  [
    'an upstream of the Responses API',
    'openai',
    {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'k', annotations: [] }],
        },
      ],
    },
  ],
])('%s gets the summary as text', async (_case, type, json) => {
  const output = await compacted(false);
  raw.answer = whole({ model: 'm', ...json, usage: { ...usage, total_tokens: 12 } });
  const input = [...output, { role: 'user', content: 'So?' }];
  const { sent } = await respond(input, { type, upstreamModel: 'gpt-5' });
  const text = JSON.stringify(sent);
  expect(text).toContain(SUMMARY);
  expect(text).not.toContain('compaction');
});
