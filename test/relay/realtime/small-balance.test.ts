/** Realtime sessions of accounts that could not pay for the longest responses of the model. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { sharedSite } from '../../support/shared-site.ts';
import { refusalIn } from '../refusal.ts';
import type { Tenant } from '../tenant.ts';
import { refused } from './client-session.ts';
import { open, RATIO, realtimeTenant, unitsOf } from './realtime-tenant.ts';

/** A hold covers this much speech beside the conversation. */
const HEADROOM_UNITS = 1_000 * RATIO.model * RATIO.audio;
const UNITS_PER_TOKEN = RATIO.model * RATIO.audio * RATIO.audioCompletion;
/** The longest response of an unknown model. */
const LONGEST_UNITS = Math.ceil(HEADROOM_UNITS + 4_096 * UNITS_PER_TOKEN);
const QUOTA = 100_000;
/** The prompt before the first event takes a few tokens of it. */
const FITTING = Math.floor((QUOTA / 4 - HEADROOM_UNITS) / UNITS_PER_TOKEN);

const site = await sharedSite({ config: { clientGraceMs: 30 } });

async function heldBy(tenant: Tenant): Promise<number> {
  return (await site.balance(tenant.user.id)).held;
}

/** Opens a session and waits for its output limit. */
async function openLimited(tenant: Tenant, headers: Readonly<Record<string, string>> = {}) {
  const session = await open(tenant, { headers });
  const { session: shown } = await session.next('session.updated');
  const limit: number = shown.max_output_tokens ?? shown.max_response_output_tokens;
  expect(limit).toBeGreaterThan(FITTING - 20);
  expect(limit).toBeLessThanOrEqual(FITTING);
  return { session, limit };
}

/** The events that the upstream got. */
function sentEvents() {
  return site.upstream.requests.flatMap(({ method, body }) =>
    method === 'WS' ? [JSON.parse(body)] : [],
  );
}

/** An upstream that answers a session update with this event. */
async function upstreamAnswering(event: object): Promise<WebSocketServer> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'session.created', session: {} }));
    socket.on('message', () => socket.send(JSON.stringify(event)));
  });
  await once(server, 'listening');
  return server;
}

function tenantOf(server: WebSocketServer, quota: number): Promise<Tenant> {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return realtimeTenant(site, { quota, channel: { base_url: `http://127.0.0.1:${port}` } });
}

describe('a session of a small balance', () => {
  test('runs with an output limit that a share of the balance pays for', async () => {
    const tenant = await realtimeTenant(site, { quota: QUOTA });
    const { session, limit } = await openLimited(tenant);
    expect(await heldBy(tenant)).toBeLessThanOrEqual(QUOTA / 4);
    let units = 0;
    for (const word of ['one', 'two', 'three']) units += unitsOf(await session.exchange(word));
    session.socket.close();
    await site.settled(tenant.user.id);
    const { charges, spent } = await tenant.bill();
    expect(charges).toHaveLength(3);
    expect(spent.user).toBe(units);
    const [first] = sentEvents();
    expect(first).toEqual({
      type: 'session.update',
      session: { type: 'realtime', max_output_tokens: limit },
    });
  });

  test('lowers the limits that its client sets, and ends no response later than that', async () => {
    const tenant = await realtimeTenant(site, { quota: QUOTA });
    tenant.script({ text: 'word '.repeat(FITTING) });
    const { session, limit } = await openLimited(tenant);
    const limits = ['inf', 4_096, 10];
    for (const max_output_tokens of limits) {
      session.send({ type: 'session.update', session: { max_output_tokens } });
      session.send({ type: 'response.create', response: { max_output_tokens } });
      const { response } = await session.next('response.done');
      expect(response.usage.output_tokens).toBeLessThanOrEqual(limit);
    }
    const sent = sentEvents().map((event) => (event.session ?? event.response).max_output_tokens);
    expect(sent).toEqual([limit, limit, limit, limit, limit, 10, 10]);
  });

  test("sets it by the beta's name for a client of the beta", async () => {
    const tenant = await realtimeTenant(site, { quota: QUOTA });
    const { session, limit } = await openLimited(tenant, { 'openai-beta': 'realtime=v1' });
    session.send({ type: 'response.create', response: { max_response_output_tokens: 'inf' } });
    await session.next('response.done');
    expect(sentEvents()).toMatchObject([
      { session: { max_response_output_tokens: limit } },
      { response: { max_response_output_tokens: limit } },
    ]);
  });

  test('has no limit while the balance is ample', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.exchange('Hello');
    expect(sentEvents().map(({ type }) => type)).not.toContain('session.update');
  });
});

describe.each([
  ['ignores the limit', { type: 'session.updated', session: { model: 'x' } }],
  ['raises the limit', { type: 'session.updated', session: { max_output_tokens: 4_096 } }],
  ['refuses the limit', { type: 'error', error: { type: 'invalid_request_error' } }],
])('an upstream that %s', (_, event) => {
  test('needs a hold for the longest response, or the session is refused', async () => {
    const server = await upstreamAnswering(event);
    const tenant = await tenantOf(server, QUOTA);
    const session = await open(tenant);
    expect(await session.next('session.created')).toBeDefined();
    expect(await heldBy(tenant)).toBeGreaterThanOrEqual(LONGEST_UNITS);
    session.socket.close();
    await site.settled(tenant.user.id);
    const poorer = await tenantOf(server, 60_000);
    const answer = await refused(site, { model: poorer.model, key: poorer.token.key });
    expect(refusalIn(answer)).toMatchObject({ status: 402, code: 'insufficient_user_quota' });
    await site.settled(poorer.user.id);
    await poorer.expectNothing(answer.requestId);
    server.close();
  });
});
