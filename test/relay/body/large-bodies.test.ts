/** Calls with large bodies: forwarded unchanged, searched for sensitive words, logged and limited. */
import { expect, test } from 'vitest';
import { LARGE_BYTES } from '../../../src/relay/body/read-body.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { bodyIn, CHAT } from '../../upstream/wire.ts';

const MB = 1024 * 1024;

const site = await sharedSite({ config: { maxBodyMb: 16 } });

const UNKNOWN: readonly (readonly [string, string])[] = [
  ['numbers', `[${'1,'.repeat(2 * MB)}1]`],
  ['names', `{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`)}}`],
  ['objects', `[${'{},'.repeat(MB)}{}]`],
  ['a text', `"${'漢 \\u00e9'.repeat(MB / 4)}"`],
  ['numbers beyond 2^53', `[${'12345678901234567890.10, '.repeat(50_000)}1]`],
];

test.each(UNKNOWN)('forwards a field of many %s unchanged', async (_case, unknown) => {
  const rawBody = `{"unknown":${unknown}, ${JSON.stringify(CHAT).slice(1)}`;
  expect(rawBody.length).toBeGreaterThan(LARGE_BYTES);
  for (const mapping of ['', '{"gpt-4o":"mapped"}']) {
    if (mapping !== '')
      await site.addChannel({ models: 'gpt-4o', model_mapping: mapping, priority: 9 });
    const model = mapping === '' ? 'gpt-4o-mini' : 'gpt-4o';
    const answer = await site.call({ rawBody: rawBody.replace('gpt-4o-mini', model) });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, answer.text.slice(0, 200)]);
    const seen = site.upstream.requests.at(-1)?.body ?? '';
    expect(seen.includes(`"unknown":${unknown}`)).toBe(true);
    expect(bodyIn(seen).model).toBe(mapping === '' ? 'gpt-4o-mini' : 'mapped');
    expect(bodyIn(seen).messages).toEqual(CHAT.messages);
  }
});

test('finds a sensitive word anywhere in a long text', async () => {
  await site.option('CheckSensitiveEnabled', true);
  await site.option('SensitiveWords', 'forbidden\nregex:se[ck]ret');
  for (const [length, word] of [
    [256 * 1024 - 3, 'Forbidden'],
    [700_000, 'forbidden'],
    [300_000, 'sekret'],
  ] as const) {
    const content = `${'a '.repeat(length / 2)}${word} ${'b '.repeat(50_000)}`;
    const body = { ...CHAT, messages: [{ role: 'user', content }] };
    expect([word, (await site.call({ body })).status]).toEqual([word, 400]);
    const harmless = { role: 'user', content: content.replace(word, 'harmless') };
    const answer = await site.call({ body: { ...CHAT, messages: [harmless] } });
    expect([word, answer.status]).toEqual([word, 200]);
  }
  await site.option('CheckSensitiveEnabled', false);
});

test('finds a pattern across slices of a long text, and treats no slice as the start of text', async () => {
  await site.option('CheckSensitiveEnabled', true);
  await site.option('SensitiveWords', 'regex:se[ck]ret\nregex:^beginning\nregex:ending$');
  for (const [length, word, status] of [
    [32 * 1024 - 3, 'sekret', 400],
    [32 * 1024, 'sekret', 400],
    [1_500_000, 'Sekret', 400],
    [32 * 1024, 'beginning', 200],
    [36 * 1024 - 'ending'.length, 'ending', 200],
    [0, 'beginning', 400],
  ] as const) {
    const content = `${'a'.repeat(length)}${word} ${'b '.repeat(50_000)}`;
    const body = { ...CHAT, messages: [{ role: 'user', content }] };
    expect([length, word, (await site.call({ body })).status]).toEqual([length, word, status]);
  }
  await site.option('CheckSensitiveEnabled', false);
});

test('logs the beginning of a long conversation without its files', async () => {
  await site.option('LogChatContentEnabled', true);
  const image = `data:image/png;base64,${'iVBO'.repeat(MB)}`;
  const messages = [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] },
    { role: 'user', content: 'the second' },
    ...Array.from({ length: 20_000 }, (_, n) => ({ role: 'user', content: `number ${n}` })),
    { role: 'user', content: 'z'.repeat(2 * MB) },
  ];
  const answer = await site.call({ body: { ...CHAT, messages } });
  expect(answer.status).toBe(200);
  const log = JSON.parse((await site.logOf(answer.requestId))?.other ?? '{}');
  expect(log.context).toContain('"url":"data:[…]"');
  expect(log.context).toContain('the second');
  expect(log.context).toContain('number 100');
  expect(log.context.length).toBeLessThanOrEqual(64 * 1024);
  expect(log.input_content).toMatch(/^\{"role":"user","content":"z+/);
  expect(log.input_content).toHaveLength(64 * 1024);
  await site.option('LogChatContentEnabled', false);
});

test('refuses more tools than can be converted in time, and names the field', async () => {
  const tool = { name: 't', description: 'd'.repeat(100_000), input_schema: { type: 'object' } };
  for (const [count, status] of [
    [22, 400],
    [19, 200],
  ] as const) {
    const tools = Array.from({ length: count }, (_, n) => ({ ...tool, name: `t${n}` }));
    const messages = [{ role: 'user', content: 'hi' }];
    const body = { model: 'gpt-4o-mini', max_tokens: 9, messages, tools };
    const answer = await site.call({ path: '/v1/messages', body });
    expect([count, answer.status]).toEqual([count, status]);
    if (status === 400) expect(answer.text).toContain('tools');
  }
});

test('refuses more messages than can be converted in time, and names the list', async () => {
  const messages = Array.from({ length: 10_001 }, () => ({ role: 'user', content: 'hello' }));
  const path = '/v1/messages';
  for (const [count, status] of [
    [10_001, 400],
    [9_000, 200],
  ] as const) {
    const body = { model: 'gpt-4o-mini', max_tokens: 9, messages: messages.slice(0, count) };
    const answer = await site.call({ path, body });
    expect([count, answer.status]).toEqual([count, status]);
    if (status === 400) expect(answer.text).toContain('messages');
  }
});

test('names the field that exceeds the limit, and charges nothing', async () => {
  const message = '{"role":"user","content":"a"}';
  const messages = `[${`${message},`.repeat(150_000)}${message}]`;
  const answer = await site.call({ rawBody: `{"model":"gpt-4o-mini","messages":${messages}}` });
  expect([answer.status, JSON.parse(answer.text).error]).toEqual([
    400,
    expect.objectContaining({ param: 'messages', code: 'invalid_value' }),
  ]);
  expect(site.upstream.requests).toEqual([]);
});

test.each([
  ['one long text', 'x'.repeat(3 * MB)],
  ['a long text beyond ASCII', '漢😀\n'.repeat(MB / 4)],
  ['a long text with escapes', '"\\\u0001/'.repeat(MB / 4)],
  ['many parts', Array.from({ length: 50_000 }, () => ({ type: 'text', text: 'ab' }))],
  [
    'an image of some MB',
    [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBO'.repeat(MB)}` } }],
  ],
])('reads %s whole', async (_case, content) => {
  await site.addChannel({ models: 'm', priority: 9, system_prompt: 'Be brief.' });
  await site.option('ModelRatio', { m: 0 });
  const messages = [{ role: 'user', content }];
  const answer = await site.call({ body: { model: 'm', messages } });
  expect(answer.status).toBe(200);
  const seen = bodyIn(site.upstream.requests.at(-1)?.body ?? '');
  expect(JSON.stringify((seen.messages as unknown[]).at(-1)) === JSON.stringify(messages[0])).toBe(
    true,
  );
});
