/** How realtime sessions start: refusals before the WebSocket upgrade, and client secrets for browsers. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { refusalIn } from '../refusal.ts';
import { spareChannel, type Tenant } from '../tenant.ts';
import { openSession, refused } from './client-session.ts';
import { open, realtimeTenant } from './realtime-tenant.ts';

const site = await sharedSite({
  upstreams: 2,
  config: { clientGraceMs: 30 },
  options: { RetryTimes: 2 },
});

describe('before the WebSocket upgrade', () => {
  test('another channel is tried when the first refuses, disconnects or sends an error', async () => {
    for (const plan of ['status:503', 'drop:head', 'refuse-in-band']) {
      const tenant = await realtimeTenant(site);
      await spareChannel(tenant);
      tenant.script(
        plan === 'refuse-in-band'
          ? { refuse: { status: 500, style: 'inband', code: 'server_error' } }
          : plan === 'drop:head'
            ? { fault: { ending: 'drop', after: 'head' } }
            : plan,
      );
      const session = await open(tenant);
      await session.exchange('Hello');
      expect(site.upstreams[1]?.stats.byEndpoint.realtime).toBe(1);
      session.socket.close();
      await site.settled(tenant.user.id);
      const log = await site.logOf(session.requestId);
      expect(JSON.parse(log?.other ?? '{}').admin_info.use_channel).toHaveLength(2);
    }
  });

  test('a refusal has its HTTP status and costs nothing', async () => {
    const tenant = await realtimeTenant(site);
    const target = { model: tenant.model, key: tenant.token.key };
    expect(refusalIn(await refused(site, { ...target, model: '' }))).toMatchObject({
      status: 400,
      param: 'model',
    });
    expect(refusalIn(await refused(site, { ...target, model: 'no-such-model' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(refusalIn(await refused(site, { ...target, key: 'sk-wrong' })).status).toBe(401);
    tenant.script('status:400');
    expect(refusalIn(await refused(site, target)).status).toBe(400);
    await tenant.expectNothing();
  });

  test('an upstream that does not upgrade is not shown as a success', async () => {
    const tenant = await realtimeTenant(site);
    tenant.script('status:200');
    const refusal = await refused(site, { model: tenant.model, key: tenant.token.key });
    expect(refusalIn(refusal).status).toBe(502);
    await tenant.expectNothing();
  });

  test('an account without quota is refused', async () => {
    const tenant = await realtimeTenant(site, { quota: 0 });
    const target = { model: tenant.model, key: tenant.token.key };
    const refusal = refusalIn(await refused(site, target));
    expect(refusal).toMatchObject({ status: 402, code: 'insufficient_user_quota' });
    expect(site.upstream.stats.calls).toBe(0);
  });

  test('a request without an upgrade is refused with a hint', async () => {
    const answer = await site.call({ path: '/v1/realtime?model=x' });
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([426, 'upgrade_required']);
  });

  test('unknown subprotocols are ignored', async () => {
    const { default: net } = await import('node:net');
    const { port } = new URL(site.url);
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] });
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: gateway',
      `authorization: Bearer ${site.token.key}`,
      'connection: Upgrade, HTTP2-Settings, close',
      'upgrade: h2c',
      `content-length: ${body.length}`,
    ].join('\r\n');
    for (const cut of [0, 20]) {
      const socket = net.connect(Number(port), '127.0.0.1');
      socket.write(`${head}\r\n\r\n${body.slice(0, body.length - cut)}`);
      setImmediate(() => socket.write(body.slice(body.length - cut)));
      let text = '';
      for await (const part of socket) text += String(part);
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toContain('"chat.completion"');
    }
  });
});

describe('a browser in a realtime session', () => {
  async function secretFor(tenant: Tenant, body: object) {
    const path = '/v1/realtime/client_secrets';
    return site.call({ path, key: tenant.token.key, body });
  }

  test('gets a client secret that opens sessions with its settings and nothing else', async () => {
    const tenant = await realtimeTenant(site);
    const settings = { type: 'realtime', model: tenant.model, instructions: 'Sing.' };
    const answer = await secretFor(tenant, { session: settings, expires_after: { seconds: 60 } });
    const secret = JSON.parse(answer.text);
    expect(answer.status).toBe(200);
    expect(secret.session).toMatchObject(settings);
    expect(secret.value).toMatch(/^ek_[\w-]+$/);
    expect(secret.value).not.toContain(tenant.token.key);
    expect(secret.expires_at - Math.floor(Date.now() / 1000)).toBeLessThanOrEqual(60);
    const protocols = ['realtime', `openai-insecure-api-key.${secret.value}`];
    const session = await openSession(site, { model: '', key: '', protocols });
    expect((await session.next('session.updated')).session.instructions).toBe('Sing.');
    await session.exchange('Hello');
    session.socket.close();
    await site.settled(tenant.user.id);
    expect((await tenant.bill()).charges).toHaveLength(1);

    const body = { model: tenant.model, messages: [{ role: 'user', content: 'Hi' }] };
    expect((await site.call({ key: secret.value, body })).status).toBe(401);
    const other = await refused(site, { model: 'gpt-4o', key: secret.value });
    expect(refusalIn(other)).toMatchObject({ status: 403, param: 'model' });
    const forged = await refused(site, { model: '', key: `${secret.value.slice(0, -4)}AAAA` });
    expect(refusalIn(forged).status).toBe(401);
  });

  test('gets a validation error for invalid session settings', async () => {
    const tenant = await realtimeTenant(site);
    const wrong = async (body: object) =>
      JSON.parse((await secretFor(tenant, body)).text).error.param;
    expect(await wrong({})).toBe('session.model');
    const session = { model: tenant.model };
    expect(await wrong({ session, expires_after: { seconds: 5 } })).toBe('expires_after.seconds');
    const long = { ...session, instructions: 'x'.repeat(8_000) };
    expect(await wrong({ session: long })).toBe('session');
  });

  test('may use the beta protocol', async () => {
    const tenant = await realtimeTenant(site);
    const path = '/v1/realtime/sessions';
    const answer = await site.call({ path, key: tenant.token.key, body: { model: tenant.model } });
    const { client_secret, model } = JSON.parse(answer.text);
    expect(model).toBe(tenant.model);
    const session = await openSession(site, { model: tenant.model, key: client_secret.value });
    await session.exchange('Hello');
    session.socket.close();
    await site.settled(tenant.user.id);
  });
});
