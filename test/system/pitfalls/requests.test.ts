/** Known ways in which requests go wrong on their way to another dialect, or to the same. */
import { describe, expect, test } from 'vitest';
import { whole } from '../../relay/raw-upstream.ts';
import { setPrice } from '../../relay/tenant.ts';
import { OPERATOR } from '../../support/site.ts';
import { callsOf, hubAnswerOf, SCHEMA } from '../matrix/clients.ts';
import { PNG } from '../sdk/endpoints.ts';
import { callOf, createPitfallSite, type Json, NAMES, SHORT } from './pitfall-site.ts';

const pitfallSite = createPitfallSite();
const { sent } = pitfallSite;

const user = (content: unknown) => ({ role: 'user', content });
const IMAGE = { type: 'base64', media_type: 'image/png', data: PNG };

/** Calls of `look`, one for each id. */
function chatCalls(...ids: readonly string[]) {
  const tool_calls = ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  }));
  return { role: 'assistant', content: null, tool_calls };
}

function uses(...ids: readonly string[]) {
  const content = ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }));
  return { role: 'assistant', content };
}

function result(id: string, content: unknown) {
  return { type: 'tool_result', tool_use_id: id, content };
}

describe('histories', () => {
  test('D55 a turn that is empty in the other dialect creates no empty message', async () => {
    const hidden = { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] };
    const messages = [user('a'), hidden, user('b')];
    const chat = await sent('anthropic', 'chat', { messages });
    expect(chat.messages.map(({ role }: Json) => role)).toEqual(['system', 'user', 'user']);
    const gemini = await sent('anthropic', 'gemini', { messages });
    expect(gemini.contents.every(({ parts }: Json) => parts.length > 0)).toBe(true);
  });

  test('D56 a tool result of several texts becomes one text where the dialect requires it', async () => {
    const parts = ['one', 'two'].map((text) => ({ type: 'text', text }));
    const messages = [user('a'), uses('t1'), user([result('t1', parts)])];
    const { messages: received } = await sent('anthropic', 'chat', { messages });
    expect(received.at(-1)).toEqual({ role: 'tool', tool_call_id: 't1', content: 'one\ntwo' });
  });

  test('D57 an answer of several texts becomes one answer', async () => {
    const content = ['Plan. ', 'Answer.'].map((text) => ({ type: 'text', text }));
    const tenant = await pitfallSite.rawTenant('anthropic');
    pitfallSite.raw.answer = whole({ ...SHORT.anthropic, content });
    const { choices } = JSON.parse((await pitfallSite.chat('chat', tenant, { text: 'Hi' })).text);
    expect(choices.map(({ message }: Json) => message.content)).toEqual(['Plan. Answer.']);
  });

  test('D59 images in tool results arrive as images', async () => {
    const picture = { type: 'image', source: IMAGE };
    const messages = [user('a'), uses('t1'), user([result('t1', [picture])])];
    const chat = await sent('anthropic', 'chat', { messages });
    expect(chat.messages.at(-2)).toMatchObject({ role: 'tool', tool_call_id: 't1' });
    const url = `data:image/png;base64,${PNG}`;
    expect(chat.messages.at(-1).content).toContainEqual({ type: 'image_url', image_url: { url } });
    const gemini = await sent('anthropic', 'gemini', { messages });
    expect(gemini.contents.at(-1).parts[0].functionResponse.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: PNG } },
    ]);
    const tool = {
      role: 'tool',
      tool_call_id: 't1',
      content: [{ type: 'image_url', image_url: { url } }],
    };
    const back = await sent('chat', 'anthropic', { messages: [user('a'), chatCalls('t1'), tool] });
    expect(back.messages.at(-1).content).toEqual([result('t1', [picture])]);
  });

  test('D60 blank texts and messages of blank texts are left out', async () => {
    const messages = [
      user('a'),
      { role: 'assistant', content: '' },
      user([{ type: 'text', text: ' \n' }]),
      user('b'),
    ];
    const { messages: received } = await sent('chat', 'anthropic', { messages });
    expect(received).toEqual([
      user([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ]);
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

  test('D68 results of parallel calls follow them in one message, without results that belong to no call', async () => {
    const results = ['t2', 't1', 't9'].map((id) => ({
      role: 'tool',
      tool_call_id: id,
      content: id,
    }));
    const messages = [user('a'), chatCalls('t1', 't2'), ...results, user('and?')];
    const { messages: received } = await sent('chat', 'anthropic', { messages });
    expect(received).toHaveLength(3);
    expect(received[2].content).toEqual([
      result('t1', 't1'),
      result('t2', 't2'),
      { type: 'text', text: 'and?' },
    ]);
    const { contents } = await sent('chat', 'gemini', { messages });
    const names = contents[2].parts.map(({ functionResponse }: Json) => functionResponse?.id);
    expect(names).toEqual(['t1', 't2', undefined]);
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

  test('D63 schemas for older Gemini models contain only supported fields', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      propertyNames: { type: 'string' },
      properties: {
        n: { type: ['integer', 'null'], exclusiveMinimum: 0 },
        of: { $ref: '#/$defs/of' },
      },
      $defs: { of: { const: 'x' } },
    };
    const tools = [{ name: 'look', input_schema: schema }];
    const older = await sent('anthropic', 'gemini', { tools }, { suffix: '-gemini-2.0-flash' });
    const [declared] = older.tools[0].functionDeclarations;
    expect(JSON.stringify(declared)).not.toMatch(
      /\$schema|\$ref|\$defs|additionalProperties|propertyNames|exclusive|const/,
    );
    expect(declared.parameters.properties.n).toMatchObject({ type: 'integer', nullable: true });
    const newer = await sent('anthropic', 'gemini', { tools });
    expect(newer.tools[0].functionDeclarations[0].parametersJsonSchema).toEqual(schema);
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

  test('D65 Google’s fields are read in both spellings and written in one', async () => {
    const declared = { name: 'look', parameters_json_schema: SCHEMA };
    const body = {
      system_instruction: { parts: [{ text: 'Be kind.' }] },
      contents: [
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: PNG } }] },
        { role: 'model', parts: [{ function_call: { name: 'look', args: {} } }] },
        {
          role: 'user',
          parts: [{ function_response: { name: 'look', response: { result: 'seen' } } }],
        },
      ],
      tools: [{ function_declarations: [declared] }],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['look'] } },
      generation_config: { max_output_tokens: 77 },
      systemInstruction: undefined,
      generationConfig: undefined,
    };
    const chat = await sent('gemini', 'chat', body);
    expect(chat).toMatchObject({
      max_tokens: 77,
      tools: [{ function: { name: 'look', parameters: SCHEMA } }],
      tool_choice: { function: { name: 'look' } },
    });
    expect(chat.messages.map(({ role }: Json) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
    const tools = [{ type: 'function', function: { name: 'look', parameters: SCHEMA } }];
    const text = JSON.stringify(await sent('chat', 'gemini', { tools }));
    expect(text).toContain('functionDeclarations');
    expect(text).not.toMatch(/"[a-z]+_[a-z_]+":/);
  });
});

describe('fields', () => {
  test('D66 fields of one dialect do not reach another', async () => {
    const own = {
      logit_bias: { 5: 1 },
      guardrails: ['x'],
      name: 'x',
      seed: 5,
      presence_penalty: 1,
      store: true,
      user: 'me',
    };
    const claude = await sent('chat', 'anthropic', own);
    expect(Object.keys(claude).sort()).toEqual([
      'max_tokens',
      'messages',
      'metadata',
      'model',
      'system',
    ]);
    const context_management = { edits: [] };
    const chat = await sent('anthropic', 'chat', { context_management, top_k: 5, container: 'x' });
    expect(Object.keys(chat).sort()).toEqual(['max_tokens', 'messages', 'model']);
    const kept = await sent('anthropic', 'anthropic', { context_management, of_tomorrow: 1 });
    expect(kept).toMatchObject({ context_management, of_tomorrow: 1 });
  });

  test('D71 a user name that is too long for OpenAI is always shortened to the same text', async () => {
    const metadata = { user_id: `user_${'a'.repeat(64)}_account_b_session_c` };
    const [first, second] = [
      await sent('anthropic', 'chat', { metadata }),
      await sent('anthropic', 'chat', { metadata }),
    ];
    expect(first.user).toMatch(/^.{1,64}$/);
    expect(second.user).toBe(first.user);
    const other = { user_id: `${metadata.user_id}d` };
    expect((await sent('anthropic', 'chat', { metadata: other })).user).not.toBe(first.user);
  });

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

  test('D75 unchanged parts of a body keep every byte', async () => {
    const tenant = await pitfallSite.rawTenant('chat');
    const model_mapping = JSON.stringify({ [tenant.model]: 'up-1' });
    await pitfallSite.site.as(OPERATOR).channel.edit({ id: tenant.channel.id, model_mapping });
    const text =
      '{"big":12345678901234567890,"model":"up-1", "z":1.0,"a":"\\u0041\\/","choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}';
    pitfallSite.raw.answer = whole(text);
    expect((await tenant.call()).text).toBe(
      text.replace('"model":"up-1", ', `"model":"${tenant.model}",`),
    );
    const claude = await pitfallSite.rawTenant('anthropic');
    pitfallSite.raw.answer = whole(SHORT.anthropic);
    const rawBody = `{ "z":9007199254740993, "model":"${claude.model}","max_tokens" : 5,"messages":[{"role":"user","content":"\\u4e16 \\/"}]}`;
    await pitfallSite.site.call({ path: '/v1/messages', rawBody, key: claude.token.key });
    expect(pitfallSite.raw.requests.at(-1)?.body).toBe(rawBody);
  });
});

test('D76 a model list contains the models that the API token may use, in the dialect of the client', async () => {
  const hidden = `hidden-${pitfallSite.site.url.length}`;
  await setPrice(pitfallSite.site, hidden, { ratio: '1', completion: '1' });
  await pitfallSite.site.addChannel({ models: hidden, group: 'vip' });
  const shown = await pitfallSite.site.addToken({
    model_limits_enabled: true,
    model_limits: `gpt-4o,${hidden}`,
  });
  const listed = async (path: string) =>
    JSON.parse((await pitfallSite.site.call({ path, key: shown.key })).text);
  expect((await listed('/v1/models')).data.map(({ id }: Json) => id)).toEqual(['gpt-4o']);
  expect((await listed('/v1beta/models')).models.map(({ name }: Json) => name)).toEqual([
    'models/gpt-4o',
  ]);
  expect(
    (await pitfallSite.site.call({ path: `/v1/models/${hidden}`, key: shown.key })).status,
  ).toBe(404);
});
