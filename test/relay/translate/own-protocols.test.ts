/**
 * Services with their own protocol, through the whole server; the matrix has the answers for each
 * client dialect. The fake upstream refuses unknown fields, tokens it did not issue and invalid
 * signatures.
 */
import { describe, expect, test } from 'vitest';
import { OPERATOR, type SiteCall, UPSTREAM_KEY } from '../../support/site.ts';
import { hubAnswerOf, wordsOf } from '../../system/matrix/clients.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { setPrice } from '../tenant.ts';

const SERVICES = {
  dify: { type: 37 },
  workflow: { type: 37, other: 'workflow' },
  coze: { type: 1013, other: 'fake-bot' },
  ollama: { type: 4, other: 'native' },
  cohere: { type: 34 },
  baidu: { type: 15, key: `ak-1|${UPSTREAM_KEY}` },
  tencent: { type: 23, key: `100|AKIDtest|${UPSTREAM_KEY}` },
  library: { type: 21, other: 'fake-library' },
} as const;

type Service = keyof typeof SERVICES;
const NAMES = Object.keys(SERVICES) as Service[]; // the keys of a constant table
const TEXT = 'Grüße 🙂 an alle';

const channels: Partial<Record<Service, number>> = {};

const { site, raw } = await rawSite();
for (const name of NAMES) {
  await setPrice(site, name, { ratio: '1', completion: '1' });
  channels[name] = (await site.addChannel({ ...SERVICES[name], models: name })).id;
}

function chat(model: string, stream: boolean): SiteCall {
  return { body: { model, messages: [{ role: 'user', content: TEXT }], stream } };
}

test.each([false, true])('a workflow of Dify answers, stream %s', async (stream) => {
  const answer = await site.call(chat('workflow', stream));
  const content = hubAnswerOf('chat', answer, stream);
  expect(wordsOf(content, 'text')).toContain(TEXT);
  expect(content.stop).toBe('end');
  await site.settled();
  const log = await site.logOf(answer.requestId);
  expect(log).toMatchObject({ usage_source: 'estimated', model_name: 'workflow' });
  expect(log?.completion_tokens).toBeGreaterThan(0);
  expect(log?.quota).toBe((log?.prompt_tokens ?? 0) + (log?.completion_tokens ?? 0));
});

test.each(NAMES)('a stream of %s that breaks ends with an error frame', async (name) => {
  site.upstream.setDefault({ fault: { ending: 'error', after: 3 } });
  const answer = await site.call(chat(name, true));
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('"error"');
});

test.each(NAMES)(
  'a channel test of %s with a wrong key fails without revealing the key',
  async (name) => {
    const fields = SERVICES[name];
    const own = 'key' in fields ? fields.key : UPSTREAM_KEY;
    const key = own.replace(UPSTREAM_KEY, 'sk-wrong-secret-key');
    const { id } = await site.addChannel({ ...fields, key, models: `${name}-wrong` });
    const result = await site.as(OPERATOR).probe.test({ id });
    expect(result.success).toBe(false);
    expect(JSON.stringify(result)).not.toContain('sk-wrong-secret-key');
  },
);

const PICTURES = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ],
  },
];

describe("requests in a provider's own protocol", () => {
  const bodyOf = (at = -1) => JSON.parse(site.upstream.requests.at(at)?.body ?? '{}');
  const history = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'Two' },
    { role: 'user', content: 'Three' },
  ];

  test('Dify gets the conversation as one text, or only the last question of a known conversation', async () => {
    await site.call({ body: { model: 'dify', messages: history } });
    expect(bodyOf()).toMatchObject({
      query: 'System: Be brief.\n\nUser: One\n\nAssistant: Two\n\nUser: Three',
      response_mode: 'streaming',
      inputs: {},
    });
    const known = { conversation_id: 'c-1', inputs: { city: 'Bonn' } };
    await site.call({ body: { model: 'dify', messages: history, ...known } });
    expect(bodyOf()).toMatchObject({ query: 'Three', ...known });
  });

  test('Dify gets images by URL, and uploads image bytes as files first', async () => {
    const answer = await site.call({
      body: { model: 'dify', messages: PICTURES },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(bodyOf().files).toEqual([
      { type: 'image', transfer_method: 'remote_url', url: 'https://pictures.example/1.png' },
      { type: 'image', transfer_method: 'local_file', upload_file_id: 'fake-file-id' },
    ]);
    const upload = site.upstream.requests.find(({ path }) => path === '/v1/files/upload');
    expect(upload?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  });

  test('Coze gets images by URL, and uploads image bytes as files first', async () => {
    const answer = await site.call({
      body: { model: 'coze', messages: PICTURES },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(JSON.parse(bodyOf().additional_messages[0].content)).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image', file_url: 'https://pictures.example/1.png' },
      { type: 'image', file_id: 'fake-file-id' },
    ]);
    const upload = site.upstream.requests.find(({ path }) => path === '/v1/files/upload');
    expect(upload?.body).toContain('name="file"; filename="file.png"');
    expect(upload?.body).not.toContain('name="user"');
  });

  test('Cohere gets its own parameter names, plans and one required tool', async () => {
    const fn = (name: string) => ({ type: 'function', function: { name } });
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, reasoning_content: 'Look.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ];
    await site.call({
      body: {
        model: 'cohere',
        messages,
        tools: [fn('weather'), fn('clock')],
        tool_choice: fn('clock'),
        ...{ top_p: 1, temperature: 1.5, stop: 'x', max_tokens: 9, user: 'u', safety_mode: 'OFF' },
      },
    });
    expect(bodyOf()).toEqual({
      model: 'cohere',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [call], tool_plan: 'Look.' },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      ],
      stream: false,
      tools: [{ type: 'function', function: { name: 'clock', parameters: expect.any(Object) } }],
      tool_choice: 'REQUIRED',
      ...{ p: 0.99, temperature: 1, stop_sequences: ['x'], max_tokens: 9, safety_mode: 'OFF' },
    });
  });

  test('Ollama gets num_ctx, think and keep_alive, tools and their results', async () => {
    const tools = [
      { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } },
    ];
    const own = { think: false, keep_alive: '5m', options: { num_ctx: 32_768 } };
    await site.call({ body: { model: 'ollama', messages: history, max_tokens: 9, tools, ...own } });
    expect(bodyOf()).toMatchObject({
      think: false,
      keep_alive: '5m',
      options: { num_ctx: 32_768, num_predict: 9 },
      stream: false,
      tools,
    });
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"a":1}' },
    };
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ];
    await site.call({ body: { model: 'ollama', messages, tools } });
    expect(bodyOf().messages).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: { a: 1 } } }],
      },
      { role: 'tool', content: 'sunny', tool_name: 'weather', tool_call_id: 'call_1' },
    ]);
  });

  test('Baidu gets alternating turns, and one access token for all calls', async () => {
    const messages = [...history, { role: 'user', content: 'Four' }];
    for (let call = 0; call < 3; call += 1)
      expect((await site.call({ body: { model: 'baidu', messages, max_tokens: 1 } })).status).toBe(
        200,
      );
    expect(bodyOf()).toMatchObject({
      system: 'Be brief.',
      max_output_tokens: 2,
      messages: [{ content: 'One' }, { content: 'Two' }, { content: 'Three\nFour' }],
    });
    const requests = site.upstream.requests.filter(({ path }) => path.startsWith('/oauth'));
    expect(requests.length).toBeLessThanOrEqual(1);
  });
});

test('a token that Baidu expired early is fetched again once', async () => {
  const { id: _ } = await site.addChannel({
    type: 15,
    base_url: raw.url,
    key: 'ak-2|sk-2-secret',
    models: 'ERNIE-4.0-8K',
  });
  await setPrice(site, 'ERNIE-4.0-8K', { ratio: '1', completion: '1' });
  let tokens = 0;
  raw.answer = (response, { path }) => {
    if (path.startsWith('/oauth')) {
      tokens += 1;
      return whole({ access_token: `t${tokens}`, expires_in: 2_592_000 })(response, {} as never);
    }
    const isStale = path.endsWith('access_token=t1');
    const upstreamBody = isStale
      ? { error_code: 111, error_msg: 'expired' }
      : { id: 'a', result: 'Hi' };
    return whole(upstreamBody)(response, {} as never);
  };
  const body = { model: 'ERNIE-4.0-8K', messages: [{ role: 'user', content: 'Hi' }] };
  const answer = await site.call({ body });
  expect(answer.status, answer.text).toBe(200);
  expect(tokens).toBe(2);
  expect(raw.requests.at(-1)?.path).toBe(
    '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro?access_token=t2',
  );
});
