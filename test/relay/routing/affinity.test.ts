/** Channel affinity: a conversation stays with its channel and key while both are healthy. */
import { createClient } from 'redis';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyRedis, isRedisReachable } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import {
  aSite,
  eventually,
  OPERATOR,
  type Site,
  type SiteAnswer,
  type SiteChannel,
} from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';

const LONG = 'You are the assistant of a very thorough company. '.repeat(120);

interface Named {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const NAMED: readonly (readonly [name: string, call: Named])[] = [
  ['a header', { headers: { 'x-session-id': 'one' } }],
  ['the header of Codex', { headers: { session_id: 'two' } }],
  ['the key of a prompt cache', { body: { prompt_cache_key: 'three' } }],
  ['the user id of Claude Code', { body: { metadata: { user_id: 'user_1_session_2' } } }],
];

let channels: SiteChannel[];
let made = 0;
const site = await sharedSite({ options: { RetryTimes: 3, KeyRestSeconds: 0 } });
beforeEach(async () => {
  await site.option('ChannelAffinity', 'prompt');
});

/** A separate model with four channels of equal probability. */
async function aModel(priorities: readonly number[] = [0, 0, 0, 0]): Promise<string> {
  made += 1;
  const model = `kept-${made}`;
  channels = [];
  for (const priority of priorities)
    channels.push(await site.addChannel({ models: model, priority }));
  await site.as(OPERATOR).price.set({ model, ratio: 1 });
  return model;
}

async function channelOf(answer: SiteAnswer): Promise<number> {
  expect(answer.status).toBe(200);
  return (await site.logOf(answer.requestId))?.channel_id ?? 0;
}

/** The channels used by `times` calls. */
async function placesOf(call: Parameters<Site['call']>[0], times = 12): Promise<Set<number>> {
  const usedIds = new Set<number>();
  for (let time = 0; time < times; time += 1) usedIds.add(await channelOf(await site.call(call)));
  return usedIds;
}

describe('channel affinity of calls with a session', () => {
  const SESSION = { 'x-session-id': 'one' };

  test.each(NAMED)(
    'keeps calls identified by %s on one channel',
    async (_name, { headers = {}, body = {} }: Named) => {
      const model = await aModel();
      expect(await placesOf({ headers, body: { ...CHAT, ...body, model } })).toHaveProperty(
        'size',
        1,
      );
    },
  );

  test('spreads calls without an identifier by weight, like new sessions', async () => {
    const model = await aModel();
    expect((await placesOf({ body: { ...CHAT, model } }, 24)).size).toBeGreaterThan(1);
    const usedIds = new Set<number>();
    for (let at = 0; at < 24; at += 1) {
      const headers = { 'x-session-id': `new-${at}` };
      usedIds.add(await channelOf(await site.call({ headers, body: { ...CHAT, model } })));
    }
    expect(usedIds.size).toBeGreaterThan(1);
  });

  test('does not share sessions between users', async () => {
    const model = await aModel();
    const usedIds = new Set<number>();
    for (let at = 0; at < 16; at += 1) {
      const { key } = await site.addToken({ owner: await site.addUser() });
      const call = { key, headers: SESSION, body: { ...CHAT, model } };
      usedIds.add(await channelOf(await site.call(call)));
    }
    expect(usedIds.size).toBeGreaterThan(1);
  });

  test('moves to another channel after a failure, and stays there', async () => {
    const model = await aModel();
    const call = { headers: SESSION, body: { ...CHAT, model } };
    const first = await channelOf(await site.call(call));
    site.upstream.script('status:500');
    const second = await channelOf(await site.call(call));
    expect(second).not.toBe(first);
    expect(await placesOf(call)).toEqual(new Set([second]));
  });

  test('moves to another channel after a broken stream', async () => {
    const model = await aModel();
    const call = { headers: SESSION, body: { ...STREAM, model } };
    await channelOf(await site.call(call));
    const usedIds = new Set<number>();
    for (let time = 0; time < 24; time += 1) {
      usedIds.add(await channelOf(await site.call(call)));
      site.upstream.script('reset-stream:3');
      await site.call(call);
    }
    expect(usedIds.size).toBeGreaterThan(1);
  });

  test('leaves a disabled channel', async () => {
    const model = await aModel([0, 0]);
    const call = { headers: SESSION, body: { ...CHAT, model } };
    const id = await channelOf(await site.call(call));
    await site.as(OPERATOR).channel.setStatus({ id, status: 2 });
    expect(await channelOf(await site.call(call))).not.toBe(id);
  });

  test('returns to a higher tier once it is healthy', async () => {
    const model = await aModel([10, 0]);
    const call = { headers: SESSION, body: { ...CHAT, model } };
    site.upstream.script('status:500');
    expect(await channelOf(await site.call(call))).toBe(channels[1]?.id);
    expect(await channelOf(await site.call(call))).toBe(channels[0]?.id);
  });

  test('logs the reason for an affinity choice, and nothing when there is none', async () => {
    const model = await aModel();
    const call = { headers: SESSION, body: { ...CHAT, model } };
    const attempts = async () => {
      const { requestId } = await site.call(call);
      return (await site.as(OPERATOR).ledger.explain({ request_id: requestId })).attempts;
    };
    expect((await attempts())[0]).not.toHaveProperty('affinity');
    expect((await attempts())[0]).toMatchObject({ affinity: 'session' });
    await site.option('ChannelAffinity', 'off');
    expect((await attempts())[0]).not.toHaveProperty('affinity');
  });
});

describe('channel affinity of calls without a session', () => {
  const system = { role: 'system', content: LONG };
  const conversation = (model: string, ...texts: readonly string[]) => ({
    model,
    messages: [system, ...texts.map((content) => ({ role: 'user', content }))],
  });

  test('stays with the channel that answered a long prompt with the same beginning', async () => {
    const model = await aModel();
    const first = await placesOf({ body: conversation(model, 'Hello') }, 4);
    expect(first.size).toBe(1);
    expect(await placesOf({ body: conversation(model, 'Hello', 'And more of it') })).toEqual(first);
    const others = new Set<number>();
    for (let at = 0; at < 24; at += 1)
      others.add(await channelOf(await site.call({ body: conversation(model, `Hello ${at}`) })));
    expect(others.size).toBeGreaterThan(1);
  });

  test('applies in every dialect', async () => {
    const model = await aModel();
    const body = {
      model,
      max_tokens: 9,
      system: LONG,
      messages: [{ role: 'user', content: 'Hello' }],
    };
    expect((await placesOf({ path: '/v1/messages', body })).size).toBe(1);
  });

  test('does not apply when affinity is limited to sessions', async () => {
    const model = await aModel();
    await site.option('ChannelAffinity', 'session');
    expect((await placesOf({ body: conversation(model, 'Hello') }, 24)).size).toBeGreaterThan(1);
  });
});

test.skipIf(!(await isRedisReachable()))(
  'nodes that share a Redis keep a session on the same channel',
  async () => {
    const url = await emptyRedis(11);
    const client = await createClient({ url }).connect();
    const shared = await aSite({ config: { redisUrl: url } });
    for (let more = 0; more < 3; more += 1) await shared.addChannel();
    const call = { headers: { 'x-session-id': 'shared' }, body: CHAT };
    const seen = async () => {
      const { requestId } = await shared.call(call);
      return (await shared.logOf(requestId))?.channel_id ?? 0;
    };
    const first = await seen();
    const name = await eventually('it is kept', async () => (await client.keys('*affinity*'))[0]);
    expect(await client.get(name)).toMatch(new RegExp(`^${first} \\d+$`));
    expect(name).not.toContain('shared');
    expect(await client.pTTL(name)).toBeGreaterThan(300_000);
    for (let time = 0; time < 6; time += 1) expect(await seen()).toBe(first);
    await shared.close();
    await client.close();
  },
);
