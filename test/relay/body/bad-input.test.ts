import { describe, expect, test } from 'vitest';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteCall } from '../../support/site.ts';
import { CHAT, eventsIn, STREAM } from '../../upstream/wire.ts';
import { type Refusal, refusalIn, withoutCost } from '../refusal.ts';

const MAX_BODY_MB = 1;

const site = await sharedSite({ config: { maxBodyMb: MAX_BODY_MB } });

async function refused(call: SiteCall): Promise<Refusal> {
  return refusalIn(await withoutCost(site, () => site.call(call)));
}

const EMBED = { model: 'text-embedding-3-small', input: 'hello' };
const LEGACY = { model: 'gpt-3.5-turbo-instruct', prompt: 'hello' };

describe('a body that is not a JSON object', () => {
  test.each([
    ['empty', '', 'invalid_request', 'The request has no body.'],
    ['blank', ' \n\t ', 'invalid_request', 'The request has no body.'],
    ['cut short', '{"model":"gpt-4o-mini","mess', 'invalid_json', /^The body is not valid JSON/],
    ['with a comma too many', '{"model":"gpt-4o-mini",}', 'invalid_json', /near position 23/],
    ['in single quotes', "{'model':'gpt-4o-mini'}", 'invalid_json', /near position 1\)/],
    ['a form', 'model=gpt-4o-mini&messages=hi', 'invalid_json', /^The body is not valid JSON/],
    ['two objects', '{}{}', 'invalid_json', /near position 2/],
    ['a list', '[]', 'invalid_json', 'The body must be a JSON object.'],
    ['a text', '"hello"', 'invalid_json', 'The body must be a JSON object.'],
    ['a number', '42', 'invalid_json', 'The body must be a JSON object.'],
    ['null', 'null', 'invalid_json', 'The body must be a JSON object.'],
    ['not a number', 'NaN', 'invalid_json', /^The body is not valid JSON/],
  ])('(%s) is refused', async (_case, rawBody, code, message) => {
    const refusal = await refused({ method: 'POST', rawBody });
    expect(refusal).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: null,
      code,
    });
    expect(refusal.message).toMatch(message);
  });

  test('is refused without repeating its content', async () => {
    const { message } = await refused({ rawBody: '{"model": sk-very-secret-text}' });
    expect(message).not.toContain('secret');
  });

  test.each([
    ['a byte that begins no character', Buffer.from([0xff])],
    ['half a character', Buffer.from([0xe4, 0xb8])],
    ['an overlong character', Buffer.from([0xc0, 0xaf])],
    ['a lone surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ])('with %s in its text is refused', async (_case, bytes) => {
    const text = JSON.stringify({ ...CHAT, messages: [{ role: 'user', content: '@' }] });
    const [before = '', after = ''] = text.split('@');
    const rawBody = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    expect(await refused({ rawBody })).toMatchObject({
      status: 400,
      code: 'invalid_content_encoding',
      message: 'The body is not valid UTF-8 data.',
    });
  });
});

describe('the model', () => {
  test.each([
    ['missing', undefined, 'missing_required_parameter', 'The field model is missing.'],
    ['null', null, 'missing_required_parameter', 'The field model is missing.'],
    ['empty', '', 'missing_required_parameter', 'The field model is missing.'],
    ['blank', ' \t', 'missing_required_parameter', 'The field model is missing.'],
    ['a number', 4, 'invalid_value', 'The field model is not valid: it must be a text.'],
    ['a list', ['gpt-4o'], 'invalid_value', 'The field model is not valid: it must be a text.'],
    ['an object', {}, 'invalid_value', 'The field model is not valid: it must be a text.'],
    ['true', true, 'invalid_value', 'The field model is not valid: it must be a text.'],
  ])('that is %s is refused', async (_case, model, code, message) => {
    for (const [path, body] of [
      ['/v1/chat/completions', CHAT],
      ['/v1/completions', LEGACY],
      ['/v1/embeddings', EMBED],
    ] as const)
      expect(await refused({ path, body: { ...body, model } })).toEqual({
        status: 400,
        type: 'invalid_request_error',
        param: 'model',
        code,
        message,
      });
  });

  test.each([
    'gpt-4o-mini ',
    'GPT-4O-MINI',
    '../gpt-4o-mini',
    'gpt-4o-mini\u0000',
    '__proto__',
    'constructor',
    'x'.repeat(100_000),
    '\ud800',
  ])('%j is refused when no channel serves it', async (model) => {
    expect(await refused({ body: { ...CHAT, model } })).toMatchObject({
      status: 404,
      param: 'model',
      code: 'model_not_found',
    });
  });
});

const NOT_BOOLEAN = ['true', 1, [], {}] as const;
const NOT_NUMBER = ['1', true, [], {}] as const;
const NOT_COUNT = ['16', 1.5, -1, true, 2 ** 31, 1e300] as const;
const NOT_OBJECT = ['on', 7, true, []] as const;

const WRONG: readonly (readonly [
  path: string,
  body: object,
  field: string,
  values: readonly unknown[],
])[] = [
  ['/v1/chat/completions', CHAT, 'stream', NOT_BOOLEAN],
  ['/v1/chat/completions', CHAT, 'stream_options', NOT_OBJECT],
  ['/v1/chat/completions', CHAT, 'max_tokens', NOT_COUNT],
  ['/v1/chat/completions', CHAT, 'max_completion_tokens', NOT_COUNT],
  ['/v1/chat/completions', CHAT, 'n', ['2', 0, -1, 1.5, true]],
  ['/v1/chat/completions', CHAT, 'temperature', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'top_p', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'presence_penalty', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'frequency_penalty', NOT_NUMBER],
  ['/v1/chat/completions', CHAT, 'messages', ['hello', 7, {}, []]],
  ['/v1/completions', LEGACY, 'stream', NOT_BOOLEAN],
  ['/v1/completions', LEGACY, 'max_tokens', NOT_COUNT],
  ['/v1/completions', LEGACY, 'n', ['2', 0]],
  ['/v1/completions', LEGACY, 'temperature', NOT_NUMBER],
];

describe('a field of the wrong type', () => {
  test.each(WRONG)('%s %j: %s', async (path, body, field, values) => {
    for (const value of values) {
      const refusal = await refused({ path, body: { ...body, [field]: value } });
      expect(refusal).toMatchObject({ status: 400, param: field, code: 'invalid_value' });
      expect(refusal.message).toMatch(new RegExp(`^The field ${field} is not valid: it must be `));
    }
  });

  test.each([
    ['/v1/chat/completions', CHAT, 'messages'],
    ['/v1/completions', LEGACY, 'prompt'],
    ['/v1/embeddings', EMBED, 'input'],
    ['/v1/moderations', { input: 'hello' }, 'input'],
  ])('%s names the missing field', async (path, body, field) => {
    for (const value of [undefined, null])
      expect(await refused({ path, body: { ...body, [field]: value } })).toMatchObject({
        status: 400,
        param: field,
        code: 'missing_required_parameter',
        message: `The field ${field} is missing.`,
      });
  });

  test.each([
    [[CHAT.messages[0], 'hello'], 'messages.1', 'invalid_value'],
    [[CHAT.messages[0], null], 'messages.1', 'invalid_value'],
    [[{ content: 'hello' }], 'messages.0.role', 'missing_required_parameter'],
    [[{ role: 7, content: 'hello' }], 'messages.0.role', 'invalid_value'],
    [[{ role: ' ', content: 'hello' }], 'messages.0.role', 'missing_required_parameter'],
  ])('in message list %j is named by its path %s', async (messages, param, code) => {
    expect(await refused({ body: { ...CHAT, messages } })).toMatchObject({
      status: 400,
      param,
      code,
    });
  });

  test("is reported in the caller's language", async () => {
    const headers = { 'accept-language': 'zh-CN,zh;q=0.9' };
    const { message } = await refused({ body: { ...CHAT, model: undefined }, headers });
    expect(message).toBe('缺少字段 model');
  });

  test('is accepted as absent when it is null', async () => {
    const nulls = {
      stream: null,
      stream_options: null,
      max_tokens: null,
      n: null,
      temperature: null,
    };
    const answer = await site.call({ body: { ...CHAT, ...nulls } });
    expect(answer.status).toBe(200);
  });
});

describe.each(databases)('texts that databases reject, on $kind', async ({ kind }) => {
  const here = await sharedSite({
    database: kind,
    options: { LogChatContentEnabled: true, LogErrorEnabled: true },
  });

  test.each([
    ['a null character', 'before\u0000after'],
    ['half a surrogate pair', 'before\ud83dafter'],
    ['characters beyond the basic plane', '𝒜🌍👩‍🚀'],
    ['quotes and backslashes', `'"\\\`;--%_{}$1?`],
  ])('(%s) are answered, charged and logged', async (_case, text) => {
    const model = `odd ${text}`;
    await here.addChannel({
      name: `c ${text.replaceAll(/[^\w ]/gu, '')}`,
      models: 'gpt-4o-mini',
    });
    const body = {
      ...CHAT,
      user: text,
      reasoning_effort: text,
      messages: [{ role: 'user', content: text }],
    };
    for (const requests of [body, { ...body, stream: true }]) {
      const answer = await here.call({ body: requests });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      expect((await here.logOf(answer.requestId))?.quota).toBeGreaterThan(0);
      expect(await here.ledgerOf(answer.requestId)).toHaveLength(1);
    }
    here.upstream.script({ refuse: { status: 400, message: text, code: text, type: text } });
    const failed = await here.call({ body });
    expect(failed.status).toBe(400);
    expect(await here.logsOf(failed.requestId)).toHaveLength(1);
    const unknown = await here.call({ body: { ...body, model } });
    expect(unknown.status).toBe(404);
    expect((await here.verify()).ok).toBe(true);
  });

  test('ten megabytes of messages are answered and charged', async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `${at} ${'word '.repeat(200)}`,
    }));
    const answer = await here.call({ body: { ...STREAM, messages } });
    expect(answer.status).toBe(200);
    expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
    expect((await here.logOf(answer.requestId))?.prompt_tokens).toBeGreaterThan(2_000_000);
    expect((await here.verify()).ok).toBe(true);
  });
});
