/** Known ways in which requests go wrong on their way to another dialect, or to the same. */
import { describe, expect, test } from 'vitest';
import { whole } from '../../relay/raw-upstream.ts';
import { callsOf, hubAnswerOf, SCHEMA } from '../matrix/clients.ts';
import { callOf, createPitfallSite, type Json, NAMES, SHORT } from './pitfall-site.ts';

const pitfallSite = await createPitfallSite();
const { sent } = pitfallSite;

const user = (content: unknown) => ({ role: 'user', content });

describe('histories', () => {
  test('D55 a turn that is empty in the other dialect creates no empty message', async () => {
    const hidden = { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] };
    const messages = [user('a'), hidden, user('b')];
    const chat = await sent('anthropic', 'chat', { messages });
    expect(chat.messages.map(({ role }: Json) => role)).toEqual(['system', 'user', 'user']);
    const gemini = await sent('anthropic', 'gemini', { messages });
    expect(gemini.contents.every(({ parts }: Json) => parts.length > 0)).toBe(true);
  });

  test('D57 an answer of several texts becomes one answer', async () => {
    const content = ['Plan. ', 'Answer.'].map((text) => ({ type: 'text', text }));
    const tenant = await pitfallSite.rawTenant('anthropic');
    pitfallSite.raw.answer = whole({ ...SHORT.anthropic, content });
    const { choices } = JSON.parse((await pitfallSite.chat('chat', tenant, { text: 'Hi' })).text);
    expect(choices.map(({ message }: Json) => message.content)).toEqual(['Plan. Answer.']);
  });

  test('D61 parts with the names of the Responses dialect are read as texts', async () => {
    const content = [{ type: 'input_text', text: 'a' }];
    const upstreamBody = { role: 'assistant', content: [{ type: 'output_text', text: 'b' }] };
    for (const client of ['chat', 'anthropic'] as const) {
      const { contents } = await sent(client, 'gemini', {
        messages: [user(content), upstreamBody, user('c')],
      });
      expect(contents.map(({ parts }: Json) => parts[0].text)).toEqual(['a', 'b', 'c']);
    }
  });

  test('D62 a system message between other messages moves to the position that the vendor accepts', async () => {
    const messages = [user('a'), { role: 'system', content: 'Be kind.' }, user('b')];
    const hoisted = await sent('anthropic', 'chat', { messages }, { channel: { type: 17 } });
    expect(hoisted.messages.map(({ role }: Json) => role)).toEqual(['system', 'user', 'user']);
    expect(hoisted.messages[0].content).toContain('Be kind.');
    const upstreamBody = await sent('chat', 'anthropic', { messages });
    expect(upstreamBody.messages.map(({ role }: Json) => role)).toEqual(['user']);
    const kept = await sent('chat', 'anthropic', { messages }, { suffix: '-claude-opus-4-8' });
    expect(kept.messages.map(({ role }: Json) => role)).toEqual(['user', 'system']);
  });

  test.each(['', '{"a":', '[1]', 'nonsense'])(
    'D69 arguments of %j become an empty object',
    async (text) => {
      const call = { id: 't1', type: 'function', function: { name: 'look', arguments: text } };
      const messages = [
        user('a'),
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 't1', content: 'x' },
      ];
      const claude = await sent('chat', 'anthropic', { messages });
      expect(claude.messages[1].content[0].input).toEqual({});
      const gemini = await sent('chat', 'gemini', { messages });
      expect(gemini.contents[1].parts[0].functionCall.args).toEqual({});
    },
  );
});

describe('tools', () => {
  test('D58 only tools that their vendor alone supports are left out', async () => {
    const own = { type: 'function', function: { name: 'look', parameters: SCHEMA } };
    const body = {
      tools: [{ type: 'namespace', name: 'x' }, own],
      temperature: 0.5,
      max_tokens: 9,
    };
    const claude = await sent('chat', 'anthropic', body);
    expect(claude).toMatchObject({ temperature: 0.5, max_tokens: 9, tools: [{ name: 'look' }] });
    expect(claude.tools).toHaveLength(1);
    const bash = { type: 'bash_20250124', name: 'bash' };
    const look = { name: 'look', input_schema: SCHEMA };
    const chat = await sent('anthropic', 'chat', { tools: [bash, look] });
    expect(chat.tools.map((tool: Json) => tool.function.name)).toEqual(['look']);
  });

  test('D64 names that a vendor refuses are replaced, and the client sees its own names', async () => {
    const name = `1 tool/with spaces ${'x'.repeat(150)}`;
    const tools = [{ type: 'function', function: { name, parameters: SCHEMA } }];
    for (const [upstream, legal] of [
      ['gemini', /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/],
      ['anthropic', /^[A-Za-z0-9_-]{1,128}$/],
    ] as const) {
      const tenant = await pitfallSite.fakeTenant(upstream);
      const chatRequest = { text: 'Hi', stream: true };
      const more = { tools, tool_choice: { type: 'function', function: { name } } };
      const answer = await pitfallSite.chat('chat', tenant, chatRequest, more);
      expect(callsOf(hubAnswerOf('chat', answer, true))).toEqual([[name, { city: 'city' }]]);
      const body = JSON.parse(pitfallSite.site.upstream.requests.at(-1)?.body ?? '');
      const [received] = body.tools[0].functionDeclarations ?? body.tools;
      expect(received.name).toMatch(legal);
    }
  });
});

describe('fields', () => {
  test('D84 nulls, zeros and empty lists are left out in another dialect', async () => {
    const odd = { max_tokens: 0, temperature: null, tools: [], tool_choice: 'auto', stop: [] };
    const claude = await sent('chat', 'anthropic', odd);
    expect(Object.keys(claude).sort()).toEqual(['max_tokens', 'messages', 'model', 'system']);
    expect(claude.max_tokens).toBeGreaterThan(0);
    const gemini = await sent('chat', 'gemini', odd);
    expect(gemini).not.toHaveProperty('tools');
    expect(gemini).not.toHaveProperty('toolConfig');
    expect(gemini).not.toHaveProperty('generationConfig');
    // Where nothing is translated, they are not ours to judge.
    expect(await sent('chat', 'chat', odd)).toMatchObject(odd);
  });
});

describe('bytes', () => {
  test('D72 the upstream receives a request for uncompressed bytes, whatever the client accepts', async () => {
    for (const upstream of NAMES) {
      const tenant = await pitfallSite.rawTenant(upstream);
      pitfallSite.raw.answer = whole(SHORT[upstream]);
      const call = callOf('chat', tenant, { text: 'Hi' });
      const headers = { ...call.headers, 'accept-encoding': 'br, zstd' };
      const answer = await pitfallSite.site.call({ ...call, headers });
      expect(pitfallSite.raw.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
    const packed = await pitfallSite.fakeTenant('anthropic');
    packed.script('gzip');
    const answer = await pitfallSite.chat('gemini', packed, { text: 'Hi', stream: true });
    expect(answer.text).toContain('You');
  });

  test('D74 images of many megabytes are forwarded', async () => {
    const data = 'A'.repeat(12 * 1024 * 1024);
    for (const [client, upstream] of [
      ['anthropic', 'anthropic'],
      ['gemini', 'chat'],
    ] as const) {
      const tenant = await pitfallSite.fakeTenant(upstream, {
        price: { ratio: '0.0001', completion: '1' },
      });
      const answer = await pitfallSite.chat(client, tenant, { text: 'What is it?', image: data });
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      expect(answer.text).toContain('image/png of');
    }
  });
});
