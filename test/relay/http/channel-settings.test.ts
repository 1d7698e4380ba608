/** Settings with which a channel changes its calls; everything else is forwarded unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteAnswer } from '../../support/site.ts';
import { bodyIn, CHAT, chunksIn, contentIn, eventsIn, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';
import { aProxy, aSocksProxy, type TunnelProxy } from './proxies.ts';

const site = await sharedSite();

/** Sets these fields of the only channel; the others have their defaults. */
async function under(fields: object): Promise<void> {
  const usual = {
    model_mapping: '',
    param_override: '',
    system_prompt: '',
    setting: '',
    openai_organization: '',
    base_url: site.upstream.url,
  };
  await site.as(OPERATOR).channel.edit({ id: site.channel.id, ...usual, ...fields });
}

function sent(): Readonly<Record<string, unknown>> {
  return JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
}

function setting(value: object): { setting: string } {
  return { setting: JSON.stringify(value) };
}

describe('without any setting', () => {
  test('a call is forwarded byte for byte, including order, numbers and unknown fields', async () => {
    await under({});
    const rawBody =
      '{ "zz":1e400, "model":"gpt-4o-mini",\n "messages":[{"role":"user","content":"\\u00e9\\/"}], "big":12345678901234567890, "a":{"b":[1.0]} }';
    expect((await site.call({ rawBody })).status).toBe(200);
    expect(site.upstream.requests[0]?.body).toBe(rawBody);
  });

  test('only the body of the request is forwarded', async () => {
    await under({});
    const headers = {
      cookie: 'a=b',
      'x-forwarded-for': '203.0.113.7',
      'user-agent': 'client/1',
      'openai-organization': 'org-client',
      'x-custom': 'secret',
      'x-api-key': 'sk-other',
    };
    const answer = await site.call({ body: CHAT, headers });
    const { host, connection, ...arrived } = site.upstream.requests[0]?.headers ?? {};
    expect([host, connection]).toEqual([new URL(site.upstream.url).host, 'keep-alive']);
    expect(arrived).toEqual({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(JSON.stringify(CHAT))),
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-fake-upstream-key',
      'x-client-request-id': answer.requestId,
    });
  });

  test('only the body and content type of the response are returned', async () => {
    const { headers } = await site.call({ body: CHAT });
    const names = Object.keys(headers).filter((name) => !name.startsWith('access-control'));
    expect(names.sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'x-content-type-options',
      'x-request-id',
    ]);
  });

  test('a model named in the path is added to the upstream body', async () => {
    const answer = await site.call({
      path: '/v1/engines/text-embedding-3-small/embeddings',
      body: { input: 'hello' },
    });
    expect(answer.status).toBe(200);
    expect(sent()).toEqual({ input: 'hello', model: 'text-embedding-3-small' });
  });

  test('moderation uses the default model when none is named', async () => {
    await site.addChannel({ models: 'omni-moderation-latest' });
    await site.option('ModelRatio', { 'omni-moderation-latest': 0, 'gpt-4o-mini': 0.075 });
    const answer = await site.call({ path: '/v1/moderations', body: { input: 'violence' } });
    expect([answer.status, bodyIn(answer.text).results]).toMatchObject([200, [{ flagged: true }]]);
    expect(sent()).toEqual({ input: 'violence', model: 'omni-moderation-latest' });
  });
});

describe('param_override', () => {
  test('overrides individual fields on every JSON endpoint', async () => {
    await under({
      param_override: JSON.stringify({
        temperature: 0,
        user: 'gateway',
        dimensions: 4,
        echo: true,
      }),
    });
    await site.call({ body: { ...CHAT, temperature: 1, top_p: 0.5 } });
    expect(sent()).toMatchObject({ ...CHAT, temperature: 0, top_p: 0.5, user: 'gateway' });
    const embedded = await site.call({
      path: '/v1/embeddings',
      body: { model: 'text-embedding-3-small', input: 'x', user: 'me' },
    });
    expect(sent()).toMatchObject({ user: 'gateway', dimensions: 4 });
    expect(bodyIn(embedded.text).data).toMatchObject([{ embedding: { length: 4 } }]);
    await site.call({
      path: '/v1/completions',
      body: { model: 'gpt-3.5-turbo-instruct', prompt: 'x' },
    });
    expect(sent()).toMatchObject({ echo: true, temperature: 0 });
  });

  test('changes only the fields it names and keeps every other byte', async () => {
    await under({ param_override: '{"seed":7}' });
    const rawBody =
      '{"big":12345678901234567890,"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}]}';
    await site.call({ rawBody });
    expect(site.upstream.requests[0]?.body).toBe(`${rawBody.slice(0, -1)},"seed":7}`);
  });

  test('cannot change the prototype of the body', async () => {
    await under({ param_override: '{"__proto__":{"x":1},"constructor":{"y":2},"seed":7}' });
    expect((await site.call({ body: CHAT })).status).toBe(200);
    expect(site.upstream.requests[0]?.body).not.toMatch(/__proto__|constructor/);
  });
});

describe('system_prompt', () => {
  const user = CHAT.messages[0];

  test.each([
    ['becomes the first message', [user], [{ role: 'system', content: 'Be brief.' }, user]],
    [
      'goes before the one the client sent',
      [{ role: 'system', content: 'Rhyme.' }, user],
      [{ role: 'system', content: 'Be brief.\n\nRhyme.' }, user],
    ],
    [
      'precedes the first of several, in any position',
      [user, { role: 'developer', content: 'Rhyme.' }, { role: 'system', content: 'x' }],
      [
        user,
        { role: 'developer', content: 'Be brief.\n\nRhyme.' },
        { role: 'system', content: 'x' },
      ],
    ],
    [
      'becomes a part where the client sent parts',
      [{ role: 'system', content: [{ type: 'text', text: 'Rhyme.' }] }, user],
      [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'Be brief.' },
            { type: 'text', text: 'Rhyme.' },
          ],
        },
        user,
      ],
    ],
  ])('%s', async (_case, messages, expected) => {
    await under({ system_prompt: 'Be brief.' });
    expect((await site.call({ body: { ...CHAT, messages } })).status).toBe(200);
    expect(sent()).toEqual({ ...CHAT, messages: expected });
  });

  test('applies to chats only', async () => {
    await under({ system_prompt: 'Be brief.' });
    const body = { model: 'gpt-3.5-turbo-instruct', prompt: 'x' };
    await site.call({ path: '/v1/completions', body });
    expect(sent()).toEqual(body);
  });
});

describe('openai_organization', () => {
  test('is sent as a header', async () => {
    await under({ openai_organization: 'org-1' });
    await site.call({ body: CHAT });
    expect(site.upstream.requests[0]?.headers['openai-organization']).toBe('org-1');
  });
});

describe('body passthrough', () => {
  const RAW = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],"stream":true}';

  test.each([
    [
      'by the channel',
      () => under({ ...setting({ pass_through_body: true }), system_prompt: 'x' }),
    ],
    [
      'by the option',
      async () => {
        await under({ system_prompt: 'x', param_override: '{"seed":7}' });
        await site.option('global.pass_through_request_enabled', true);
      },
    ],
  ])('%s changes nothing, and usage is still charged', async (_who, arrange) => {
    await arrange();
    const answer = await site.call({ rawBody: RAW });
    expect([answer.status, site.upstream.requests[0]?.body]).toEqual([200, RAW]);
    expect((await site.logOf(answer.requestId))?.usage_source).toBe('estimated');
    await site.option('global.pass_through_request_enabled', false);
  });

  test('still replaces a mapped model name', async () => {
    await under({
      ...setting({ pass_through_body: true }),
      model_mapping: '{"gpt-4o-mini":"gpt-4o"}',
    });
    await site.call({ rawBody: RAW });
    expect(site.upstream.requests[0]?.body).toBe(RAW.replace('gpt-4o-mini', 'gpt-4o'));
  });
});

describe('NON_STREAM_ONLY', () => {
  test('requests a whole answer and streams it to the client', async () => {
    await under(setting({ stream_support: 'NON_STREAM_ONLY' }));
    const answer = await site.call({ body: STREAM });
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(sent()).toEqual({ ...CHAT, stream: false });
    const chunks = chunksIn(answer.text);
    expect(contentIn(chunks)).toContain('Hello there, 世界 🌍');
    expect(chunks[0]?.choices[0]?.delta?.role).toBe('assistant');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) },
    });
    expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
    expect((await site.logOf(answer.requestId))?.usage_source).toBe('upstream');
  });

  test('returns a failure with its own status', async () => {
    site.upstream.script('status:503');
    expect(refusalIn(await site.call({ body: STREAM })).status).toBe(503);
  });
});

describe('answer format settings', () => {
  const think = { ...CHAT, model: 'demo-reasoner' };
  beforeAll(async () => {
    await site.as(OPERATOR).channel.edit({
      id: site.channel.id,
      models: `${site.channel.models},demo-reasoner`,
    });
    await site.option('ModelRatio', { 'gpt-4o-mini': 0.075, 'gpt-4o': 1.25, 'demo-reasoner': 1 });
  });

  test('thinking_to_content puts the reasoning before the content, once', async () => {
    await under({});
    const plain = contentIn(chunksIn((await site.call({ body: { ...think, stream: true } })).text));
    expect(plain).not.toContain('<think>');
    await under(setting({ thinking_to_content: true }));
    const answer = await site.call({ body: { ...think, stream: true } });
    const text = contentIn(chunksIn(answer.text));
    expect(text).toMatch(/^<think>\n[^<]+\n<\/think>\n/);
    expect(text.replace(/^<think>[\s\S]*<\/think>\n/, '')).toBe(plain);
    expect(answer.text).not.toContain('reasoning_content');
  });

  test("force_format keeps only OpenAI's fields", async () => {
    await under(setting({ force_format: true }));
    const answer = await site.call({ body: STREAM });
    for (const chunk of chunksIn(answer.text)) {
      expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: CHAT.model });
      expect(chunk.id).toMatch(/./);
    }
    expect(contentIn(chunksIn(answer.text))).toContain('Hello there, 世界 🌍');
  });
});

describe('a channel proxy', () => {
  let proxy: TunnelProxy;
  beforeAll(async () => {
    proxy = await aProxy();
  });
  afterAll(() => proxy.close());

  async function carried(body: unknown): Promise<SiteAnswer> {
    const answer = await site.call({ body });
    expect(answer.status).toBe(200);
    return answer;
  }

  test('carries plain and streamed calls of its own channel only', async () => {
    await under({});
    await carried(CHAT);
    expect(proxy.tunnels.length + proxy.forwarded.length).toBe(0);
    await under(setting({ proxy: proxy.url }));
    await carried(CHAT);
    const stream = await carried(STREAM);
    expect(contentIn(chunksIn(stream.text))).toContain('Hello there');
    const { host } = new URL(site.upstream.url);
    const addresses = [...proxy.tunnels, ...proxy.forwarded];
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toContain(host);
  });

  test('receives its user and password, which the upstream does not', async () => {
    await under(setting({ proxy: proxy.url.replace('//', '//user:p%40ss@') }));
    proxy.credentials.length = 0;
    await carried(CHAT);
    expect(proxy.credentials[0]).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(site.upstream.requests.at(-1)?.headers['proxy-authorization']).toBeUndefined();
  });

  test('can use SOCKS5', async () => {
    const socks = await aSocksProxy();
    await under(setting({ proxy: socks.url }));
    await carried(CHAT);
    await carried(STREAM);
    expect(new Set(socks.targets)).toEqual(new Set([new URL(site.upstream.url).host]));
    socks.close();
  });

  test('fails the attempt when it is unreachable, without a direct connection', async () => {
    const gone = await aProxy();
    await gone.close();
    await under(setting({ proxy: gone.url }));
    expect(refusalIn(await site.call({ body: CHAT }))).toMatchObject({
      status: 502,
      code: 'do_request_failed',
    });
    expect(site.upstream.stats.calls).toBe(0);
  });
});
