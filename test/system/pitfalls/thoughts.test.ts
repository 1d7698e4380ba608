/** Known ways in which thoughts and their signatures are lost or misplaced between turns. */
import { expect, test } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import { eventsIn } from '../../dialects/hub/streams.ts';
import { spareChannel } from '../../relay/tenant.ts';
import { clientNamed, SCHEMA } from '../matrix/clients.ts';
import {
  createPitfallSite,
  type Json,
  NAMES,
  stored,
  type Vendor,
  wireOfFrames,
} from './pitfall-site.ts';

const pitfallSite = await createPitfallSite();

const TOOL = { name: 'look', input_schema: SCHEMA };
const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: SCHEMA } };

/** A turn with a tool call and its result, as a chat client sends it. */
function chatTurn(assistant: object = {}): object {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
  return {
    tools: [CHAT_TOOL],
    messages: [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: null, tool_calls: [call], ...assistant },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
    ],
  };
}

/** The same as Anthropic's clients tell it. */
function anthropicTurn(...before: readonly object[]): object {
  return {
    tools: [TOOL],
    messages: [
      { role: 'user', content: 'Look' },
      {
        role: 'assistant',
        content: [...before, { type: 'tool_use', id: 'call_1', name: 'look', input: {} }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'seen' }] },
    ],
  };
}

test('D47 each of several thoughts keeps its own signature and position', async () => {
  const thoughts = ['first', 'second'].map((thinking) => ({
    type: 'thinking',
    thinking,
    signature: `signed-${thinking}`,
  }));
  const content = [...thoughts, { type: 'text', text: 'hi' }];
  for (const client of ['chat', 'gemini'] as const) {
    const blocks = await wholeAnswerOf(client, content);
    expect(blocks.filter(({ kind }) => kind === 'thinking')).toEqual(
      thoughts.map(({ thinking, signature }) => ({
        kind: 'thinking',
        text: thinking,
        signature: { origin: 'anthropic', value: signature },
      })),
    );
  }
});

/** The blocks of an answer of Anthropic's after its way through a client that sends them back. */
async function wholeAnswerOf(client: Vendor, content: readonly object[]) {
  const frames = content.flatMap((block: Json, index) => blockFrames(block, index));
  const { hubAnswer } = await pitfallSite.streamTo(client, 'anthropic', anthropicWire(frames));
  const written = DIALECTS[client].writeAnswer(hubAnswer, CONTEXT);
  return DIALECTS[client].readAnswer(written, CONTEXT).blocks;
}

const CONTEXT = { id: 'R1', createdSec: 1, model: 'm', tools: [] };

function blockFrames({ type, ...block }: Json, index: number): object[] {
  const deltas =
    type === 'thinking'
      ? [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ]
      : [{ type: 'text_delta', text: block.text }];
  const empty = type === 'thinking' ? { type, thinking: '', signature: '' } : { type, text: '' };
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function anthropicWire(frames: readonly object[]): string {
  return wireOfFrames(
    'anthropic',
    { type: 'message_start', message: { usage: { input_tokens: 1 } } },
    ...frames,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  );
}

test('D48 hidden thoughts stay thoughts with a signature', async () => {
  const wire = stored('anthropic', 'anthropic/omitted-thinking');
  const [signed] = eventsIn('anthropic', wire).filter(({ kind }) => kind === 'signature');
  for (const client of NAMES) {
    const { hubAnswer } = await pitfallSite.streamTo(client, 'anthropic', wire);
    const [thought] = hubAnswer.blocks;
    expect(thought).toMatchObject({ kind: 'thinking', text: '', ...signatureOf(signed) });
  }
  const hidden = { type: 'thinking', thinking: '', signature: 'own' };
  const sent = await pitfallSite.sent('anthropic', 'anthropic', anthropicTurn(hidden));
  expect(sent.messages[1].content[0]).toEqual(hidden);
});

function signatureOf(event: Json) {
  return { signature: event?.signature };
}

test('D49 the parts of a signature belong to the open block', async () => {
  const frames = [
    ...blockFrames({ type: 'thinking', thinking: 'a', signature: 'sig-a' }, 0),
    ...blockFrames({ type: 'text', text: 'hubAnswer' }, 1),
    ...blockFrames({ type: 'thinking', thinking: 'b', signature: 'sig-b' }, 2),
  ];
  const { frames: received } = await pitfallSite.streamTo(
    'anthropic',
    'anthropic',
    anthropicWire(frames),
  );
  const places = received.flatMap(({ index, delta }) =>
    delta?.type === 'signature_delta' ? [[index, delta.signature]] : [],
  );
  expect(places).toEqual([
    [0, 'sig-a'],
    [2, 'sig-b'],
  ]);
  const { hubAnswer } = await pitfallSite.streamTo('chat', 'anthropic', anthropicWire(frames));
  const values = hubAnswer.blocks.map((block) =>
    'signature' in block ? block.signature?.value : '',
  );
  expect(values.filter((value) => value)).toEqual(['sig-a', 'sig-b']);
});

test('D50 vendors that require the thoughts of a turn receive them, or a blank', async () => {
  const options = { channel: { type: 25 } };
  const thought = { type: 'thinking', thinking: 'I must look', signature: 'x' };
  const kept = await pitfallSite.sent('anthropic', 'chat', anthropicTurn(thought), options);
  expect(kept.messages.at(-2)).toMatchObject({
    reasoning_content: 'I must look',
    tool_calls: [{ id: 'call_1' }],
  });
  const lost = await pitfallSite.sent('anthropic', 'chat', anthropicTurn(), options);
  expect(lost.messages.at(-2).reasoning_content).toBe(' ');
});

test('D51 Gemini receives the signatures of its calls back, or a replacement', async () => {
  const tenant = await pitfallSite.fakeTenant('gemini');
  for (const client of ['chat', 'anthropic'] as const) {
    const chatRequest = { text: 'Use look', tools: ['look'] };
    const first = JSON.parse((await pitfallSite.chat(client, tenant, chatRequest)).text);
    const [message] = client === 'chat' ? [first.choices[0].message] : [first];
    const id =
      client === 'chat'
        ? message.tool_calls[0].id
        : message.content.find((block: Json) => block.type === 'tool_use').id;
    const turn: Json = client === 'chat' ? chatTurn() : anthropicTurn();
    const received = JSON.parse(JSON.stringify(turn).replaceAll('call_1', id));
    const second = await pitfallSite.chat(client, tenant, { text: 'Hi' }, received);
    expect(second.status, second.text).toBe(200);
    const sent = JSON.parse(pitfallSite.site.upstream.requests.at(-1)?.body ?? '');
    expect(sent.contents[1].parts[0].thoughtSignature).toBe('RmFrZUdlbWluaQ==');
  }
  const unknown = await pitfallSite.sent('chat', 'gemini', chatTurn());
  expect(unknown.contents[1].parts[0].thoughtSignature).toBe('skip_thought_signature_validator');
});

test('D52 a signature that one account refuses is tried on the next channel', async () => {
  const [first, second] = pitfallSite.site.upstreams;
  if (first === undefined || second === undefined) throw new Error('two upstreams are needed');
  await pitfallSite.site.option('RetryTimes', 1);
  const tenant = await pitfallSite.fakeTenant('anthropic');
  const spare = await spareChannel(tenant, second);
  await pitfallSite.site.as({ kind: 'operator' }).channel.edit({ id: spare.id, type: 14 });
  const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  first.setDefault({ refuse: { status: 400, message } });
  const thought = { type: 'thinking', thinking: 'hm', signature: 'of the second account' };
  const answer = await pitfallSite.chat(
    'anthropic',
    tenant,
    { text: 'Hi' },
    anthropicTurn(thought),
  );
  await pitfallSite.site.option('RetryTimes', 0);
  expect(answer.status, answer.text).toBe(200);
  // The first account is also asked without the thought.
  expect([first.stats.calls, second.stats.calls]).toEqual([2, 1]);
  expect(second.requests.at(-1)?.body).toContain('of the second account');
});

test('D53 thoughts are translated to the form of the other dialect', async () => {
  const received = { reasoning_content: 'I must look' };
  const toGemini = await pitfallSite.sent('chat', 'gemini', chatTurn(received));
  expect(toGemini.contents[1].parts[0]).toEqual({ text: 'I must look', thought: true });
  const thought = { type: 'thinking', thinking: 'I must look', signature: '' };
  const toChat = await pitfallSite.sent('anthropic', 'chat', anthropicTurn(thought));
  expect(toChat.messages.at(-2).reasoning_content).toBe('I must look');
});

test('D70 an output limit is always set and is larger than the thinking budget', async () => {
  await pitfallSite.site.option('claude.default_max_tokens', { default: 5000 });
  const unset = await pitfallSite.sent('chat', 'anthropic', {});
  expect(unset.max_tokens).toBe(5000);
  const { body } = clientNamed('gemini').request('m', { text: 'Hi', thinks: true, maxTokens: 100 });
  const tight = await pitfallSite.sent('gemini', 'anthropic', body as object); // every row asks with one
  const { max_tokens: limit, thinking } = tight;
  expect(thinking.budget_tokens).toBe(2048);
  expect(limit).toBeGreaterThan(thinking.budget_tokens);
});
