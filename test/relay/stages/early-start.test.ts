/** With pings on, a stream opens before its upstream answers; money and retries stay the same. */
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { contentChunk, FINISH } from '../../dialects/frames.ts';
import { eventually, type OpenAnswer, type SiteCall } from '../../support/site.ts';
import { rawSite } from '../raw-site.ts';
import { eventText, streamed } from '../raw-upstream.ts';
import { addTenant, MESSAGES, spareChannel, type Tenant } from '../tenant.ts';

const { site, raw } = await rawSite({
  options: {
    RetryTimes: 1,
    'general_setting.ping_interval_seconds': 1,
    'general_setting.ping_interval_enabled': true,
  },
});

/** Opens the way for an answer of the upstream that is held back. */
let release: () => void;
let released: Promise<void>;
beforeAll(() => site.upstream.reset());

async function silentTenant(): Promise<Tenant> {
  released = new Promise((resolve) => {
    release = resolve;
  });
  return addTenant(site, { channel: { base_url: raw.url } });
}

async function allOf(answer: OpenAnswer, onPing: () => void): Promise<string> {
  let text = '';
  for await (const bytes of answer.body) {
    text += String(bytes);
    if (text.toLowerCase().includes('ping')) onPing();
  }
  return text;
}

const refuse = (status: number) => async (response: ServerResponse) => {
  await released;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'worn out', type: 'server_error' } }));
};

describe('a stream whose upstream sends no headers yet', () => {
  test('starts with a ping after the interval and continues with the answer', async () => {
    const tenant = await silentTenant();
    raw.answer = async (response, request) => {
      await released;
      return streamed(contentChunk('one'), FINISH, '[DONE]')(response, request);
    };
    const answer = await tenant.start({ stream: true });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    const text = await allOf(answer, release);
    expect(text.startsWith(': PING\n\n')).toBe(true);
    expect(text).toContain(eventText(contentChunk('one')));
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect((await tenant.bill()).charges).toHaveLength(1);
  });

  test('is still tried on another channel', async () => {
    const tenant = await silentTenant();
    const spare = await spareChannel(tenant, site.upstream);
    raw.answer = refuse(500);
    const answer = await tenant.start({ stream: true });
    const text = await allOf(answer, release);
    expect(text.startsWith(': PING\n\n')).toBe(true);
    expect(text).not.toContain('error');
    const { charges, held } = await tenant.bill();
    expect(charges.map(({ channelId }) => channelId)).toEqual([spare.id]);
    expect(held).toEqual({ user: 0, token: 0 });
  });

  const CLIENTS: readonly (readonly [string, SiteCall, string])[] = [
    ['chat', {}, '"error":{"message":"worn out'],
    ['anthropic', { path: '/v1/messages' }, 'event: error\ndata: {"type":"error"'],
    ['responses', { path: '/v1/responses' }, 'event: response.failed\n'],
  ];
  test.each(CLIENTS)(
    'ends for %s with its error event and without a charge',
    async (_name, call, frame) => {
      const tenant = await silentTenant();
      raw.answer = refuse(400);
      const body = {
        model: tenant.model,
        stream: true,
        max_tokens: 50,
        ...(call.path === '/v1/responses' ? { input: 'Hi' } : { messages: MESSAGES.slice(1) }),
      };
      const answer = await tenant.start({}, { ...call, body });
      expect(answer.status).toBe(200);
      const text = await allOf(answer, release);
      expect(text).toContain(frame);
      expect(text).toContain('worn out');
      await tenant.expectNothing(answer.requestId);
    },
  );

  test('ends when its client leaves, and nothing stays held', async () => {
    const tenant = await silentTenant();
    raw.answer = refuse(500);
    const answer = await tenant.start({ stream: true });
    await answer.leave();
    await eventually('the upstream call is given up', () => raw.open.size === 0);
    await tenant.expectNothing(answer.requestId);
    release();
  });

  test('keeps its status and body when it is no stream', async () => {
    const tenant = await silentTenant();
    raw.answer = refuse(400);
    release();
    expect(await tenant.call()).toMatchObject({ status: 400 });
  });
});
