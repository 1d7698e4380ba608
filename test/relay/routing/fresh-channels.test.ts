/** A channel written by another process is found by the next call, whatever the poll interval. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boot, type OpenedSite } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import { localApi } from '../../../src/handlers.ts';
import { aSite, OPERATOR, type Site, type SiteCall, UPSTREAM_KEY } from '../../support/site.ts';

describe('a channel created by a command beside a running server', () => {
  let site: Site;
  let command: OpenedSite;
  beforeAll(async () => {
    site = await aSite({ options: { ModelRatio: PRICES } });
    const { dataDir } = site.ctx.config;
    command = await boot(loadConfig({ dataDir, database: site.dsn, logLevel: 'silent' }, {}));
    // The server does not poll: only a call can trigger the read.
    site.ctx.changes.stop();
  });
  afterAll(async () => {
    await command?.close();
    await site?.close();
  });

  const make = (models: string, fields = {}) =>
    localApi(command.ctx, OPERATOR).channel.create({
      name: `for ${models}`,
      key: UPSTREAM_KEY,
      base_url: site.upstream.url,
      models,
      ...fields,
    });
  const chat = (model: string): SiteCall => ({
    body: { model, messages: [{ role: 'user', content: 'Hello.' }] },
  });
  const statusOf = async (call: SiteCall) => (await site.call(call)).status;

  test.each([
    ['chat', 'new-chat', chat('new-chat')],
    [
      'messages of Anthropic',
      'new-messages',
      { path: '/v1/messages', body: { ...(chat('new-messages').body as object), max_tokens: 9 } },
    ],
    [
      'contents of Gemini',
      'new-contents',
      {
        path: '/v1beta/models/new-contents:generateContent',
        body: { contents: [{ parts: [{ text: 'Hello.' }] }] },
      },
    ],
    [
      'a count of tokens',
      'new-count',
      { path: '/v1/messages/count_tokens', body: chat('new-count').body },
    ],
    ['the entry of the model', 'new-entry', { path: '/v1/models/new-entry' }],
  ])('answers %s immediately', async (_, model, call: SiteCall) => {
    expect(await statusOf(call)).toBe(404);
    await make(model);
    expect(await statusOf(call)).toBe(200);
  });

  test('answers a call that names it', async () => {
    const admin = await site.addUser({ role: 10 });
    const { key } = await site.addToken({ owner: admin });
    const { id } = await make('new-pinned');
    expect(await statusOf({ ...chat('new-pinned'), key: `${key}-${id}` })).toBe(200);
  });

  test('is used again once it is re-enabled', async () => {
    const { id } = await make('new-off');
    expect(await statusOf(chat('new-off'))).toBe(200);
    const { channel } = localApi(command.ctx, OPERATOR);
    await channel.setStatus({ id, status: 2 });
    await site.ctx.changes.pull();
    expect(await statusOf(chat('new-off'))).toBe(503);
    await channel.setStatus({ id, status: 1 });
    expect(await statusOf(chat('new-off'))).toBe(200);
  });

  test('causes one lookup for many calls, and none for calls that have a channel', async () => {
    let readings = 0;
    const count = ({ sql }: { sql: string }) => {
      if (sql.includes('revisions')) readings += 1;
    };
    site.ctx.reads.on('query', count);
    await Promise.all(Array.from({ length: 20 }, () => site.call(chat('gpt-4o-mini'))));
    expect(readings).toBe(0);
    const statuses = await Promise.all(Array.from({ length: 60 }, () => statusOf(chat('nowhere'))));
    site.ctx.reads.off('query', count);
    expect(new Set(statuses)).toEqual(new Set([404]));
    expect(readings).toBeGreaterThan(0);
    expect(readings).toBeLessThan(10);
  });
});

const MODELS = [
  'new-chat',
  'new-messages',
  'new-contents',
  'new-count',
  'new-entry',
  'new-pinned',
  'new-off',
];
const PRICES = Object.fromEntries(MODELS.map((name) => [name, 1]));
