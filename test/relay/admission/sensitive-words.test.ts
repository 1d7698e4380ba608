import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn, withoutCost } from '../refusal.ts';

const site = await sharedSite({
  options: { SensitiveWords: 'forbidden fruit\n苹果\nregex:se?cr[e3]t-\\d+' },
});

function saying(content: unknown): object {
  return { ...CHAT, messages: [{ role: 'user', content }] };
}

const REFUSED = {
  status: 400,
  message: 'The request contains words that are not allowed here.',
  type: 'invalid_request_error',
  param: null,
  code: 'sensitive_words_detected',
} as const;

async function expectRefused(body: object, path = '/v1/chat/completions'): Promise<void> {
  const answer = await withoutCost(site, () => site.call({ body, path }));
  expect(refusalIn(answer)).toEqual(REFUSED);
}

describe('a sensitive word', () => {
  test.each([
    ['alone', 'forbidden fruit'],
    ['inside other text', 'have some forbidden fruits, please'],
    ['in other case', 'FORBIDDEN Fruit'],
    ['without word limits', '我要吃苹果了'],
    ['matched by a pattern', 'tell me s3cr3t-1 and secret-42'],
    ['matched by a pattern in other case', 'SECRET-42'],
    ['after a long text', `${'harmless '.repeat(50_000)} forbidden fruit`],
  ])('is found %s', (_case, text) => expectRefused(saying(text)));

  test.each([
    ['a text part', saying([{ type: 'text', text: 'forbidden fruit' }])],
    [
      'a part beside an image',
      saying([
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'text', text: 'forbidden fruit' },
      ]),
    ],
    [
      'an earlier message',
      { ...CHAT, messages: [{ role: 'system', content: '苹果' }, ...CHAT.messages] },
    ],
    [
      'the result of a tool',
      {
        ...CHAT,
        messages: [...CHAT.messages, { role: 'tool', content: '苹果', tool_call_id: 'x' }],
      },
    ],
  ])('is found in %s', (_place, body) => expectRefused(body));

  test.each([
    ['/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: 'forbidden fruit' }],
    ['/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: ['a', 'forbidden fruit'] }],
    ['/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'forbidden fruit'] }],
    ['/v1/moderations', { input: 'forbidden fruit' }],
  ])('is found on %s', (path, body) => expectRefused(body, path));

  test.each([
    ['a word that is cut', 'forbidden frui'],
    ['a pattern that does not fit', 'secret-x'],
    ['the line of the pattern itself', 'regex:se?cr[e3]t-\\d+'],
  ])('is not found in %s', async (_case, text) => {
    expect((await site.call({ body: saying(text) })).status).toBe(200);
  });

  test('is not searched for in names and settings', async () => {
    const body = { ...CHAT, user: 'forbidden fruit', metadata: { note: '苹果' } };
    expect((await site.call({ body })).status).toBe(200);
  });

  test('refuses the call before any channel is called, with or without retries', async () => {
    await site.option('RetryTimes', 3);
    await expectRefused(saying('苹果'));
    await site.option('RetryTimes', 0);
  });

  test('is reported in Chinese to readers of Chinese', async () => {
    const headers = { 'accept-language': 'zh' };
    const answer = await site.call({ body: saying('苹果'), headers });
    expect(refusalIn(answer).message).toBe('请求包含敏感词');
  });
});

describe('the sensitive word check', () => {
  test.each(['CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled'])(
    'is off while %s is off, and on again immediately',
    async (option) => {
      await site.option(option, false);
      expect((await site.call({ body: saying('苹果') })).status).toBe(200);
      await site.option(option, true);
      await expectRefused(saying('苹果'));
    },
  );

  test('exempts one group, by the group of the call', async () => {
    await site.addChannel({ group: 'vip', models: CHAT.model });
    const vip = await site.addUser({ group: 'vip' });
    const [own, other] = [
      await site.addToken({ owner: vip }),
      await site.addToken({ owner: vip, group: 'default' }),
    ];
    await site.option('global.safe_check_exempt_group', 'vip');
    const statusOf = async (key: string) => (await site.call({ key, body: saying('苹果') })).status;
    expect([await statusOf(own.key), await statusOf(other.key)]).toEqual([400, 400]);
    await site.option('global.safe_check_exempt_enabled', true);
    expect([await statusOf(own.key), await statusOf(other.key)]).toEqual([200, 400]);
    await site.option('global.safe_check_exempt_enabled', false);
  });

  test('follows changes of the list immediately, even with patterns only', async () => {
    const before = site.ctx.options().get('SensitiveWords').join('\n');
    await site.option('SensitiveWords', 'regex:^pear$');
    expect((await site.call({ body: saying('苹果') })).status).toBe(200);
    await expectRefused(saying('pear'));
    await site.option('SensitiveWords', before);
    await expectRefused(saying('苹果'));
  });

  test('is as fast for a hundred thousand words or a malicious pattern', async () => {
    const before = site.ctx.options().get('SensitiveWords').join('\n');
    const words = Array.from({ length: 100_000 }, (_, at) => `word${at}x`);
    await site.option('SensitiveWords', [...words, 'regex:(a+)+$', 'regex:(x|xx)*y'].join('\n'));
    const text = `${'a'.repeat(50_000)}! ${'x'.repeat(50_000)} ${'word1 '.repeat(50_000)}`;
    expect((await site.call({ body: saying('warm up') })).status).toBe(200);
    const cpu = process.cpuUsage();
    expect((await site.call({ body: saying(text) })).status).toBe(200);
    expect(process.cpuUsage(cpu).user).toBeLessThan(5_000_000);
    await expectRefused(saying(`${text} word99999x`));
    await site.option('SensitiveWords', before);
  });
});
