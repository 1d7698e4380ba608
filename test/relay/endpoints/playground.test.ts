/** The console's playground: authenticated by session, charged to the user's balance. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, type ApiReply, apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteUser } from '../../support/site.ts';

const PATH = '/pg/chat/completions';
const REQUEST = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello there.' }] };

describe('the playground', async () => {
  let user: SiteUser;
  let browser: ApiClient;
  const site = await sharedSite({
    config: { apiRateLimitEnabled: false },
    options: {
      GroupRatio: { default: 1, vip: 2, closed: 1 },
      UserUsableGroups: { default: 'Default', vip: 'Vip' },
    },
  });
  await site.addChannel({ group: 'vip' });
  beforeEach(async () => {
    site.upstream.reset();
    user = await site.addUser();
    browser = await signedIn(site, user);
  });

  const send = (fields: object = {}, from: ApiClient = browser): Promise<ApiReply> =>
    from.send('POST', PATH, { body: { ...REQUEST, ...fields } });
  const error = ({ status, body }: ApiReply) => ({ status, code: body.error?.code });

  it('answers a signed-in user and charges the balance, without a token', async () => {
    const reply = await send();
    expect(reply.status).toBe(200);
    expect(reply.body.choices[0].message.content).not.toBe('');
    const id = String(reply.headers['x-request-id']);
    const log = await site.logOf(id);
    expect(log).toMatchObject({ user_id: user.id, token_id: 0, token_name: 'playground' });
    expect(log?.quota).toBeGreaterThan(0);
    const [entry] = await site.ledgerOf(id);
    expect(entry).toMatchObject({ user_units: -(log?.quota ?? 0), token_id: 0, token_units: 0 });
    expect((await site.balance(user.id)).used_quota).toBe(log?.quota);
    expect(await site.verify()).toMatchObject({ ok: true });
  });

  it('refuses a user over the call limit before it reads the body', async () => {
    await site.option('ModelRequestRateLimitCount', 1);
    await site.option('ModelRequestRateLimitEnabled', true);
    expect((await send()).status).toBe(200);
    const late = await browser.send('POST', PATH, { body: { ...REQUEST, group: 7 } });
    expect(error(late).status).toBe(429);
    await site.option('ModelRequestRateLimitEnabled', false);
    expect(error(await send({ group: 7 })).status).toBe(400);
  });

  it('streams, and settles the charge before the end', async () => {
    const reply = await send({ stream: true });
    expect(reply.headers['content-type']).toContain('text/event-stream');
    expect(reply.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    const log = await site.logOf(String(reply.headers['x-request-id']));
    expect(log).toMatchObject({ is_stream: true, token_name: 'playground' });
  });

  it('uses the price of the requested group, and does not send it upstream', async () => {
    for (const [group, ratio] of [
      ['', 1],
      ['vip', 2],
    ] as const) {
      const reply = await send({ group });
      const log = await site.logOf(String(reply.headers['x-request-id']));
      expect(log?.group).toBe(group || 'default');
      expect(JSON.parse(log?.other ?? '')).toMatchObject({ group_ratio: ratio });
    }
    expect(site.upstream.requests).toHaveLength(2);
    for (const { body } of site.upstream.requests)
      expect(JSON.parse(body)).not.toHaveProperty('group');
  });

  it('keeps unchanged parts of the body digit by digit', async () => {
    const rawBody = JSON.stringify({ ...REQUEST, group: 'vip' }).replace(
      '{',
      '{"seed":9007199254740993,',
    );
    await browser.send('POST', PATH, { rawBody, headers: { 'content-type': 'application/json' } });
    expect(site.upstream.requests[0]?.body).toContain('"seed":9007199254740993');
  });

  it('treats a limit of 0 tokens from the console as no limit', async () => {
    const reply = await send({ max_tokens: 0 });
    expect(reply.body.choices[0].message.content).not.toBe('');
    await send({ max_tokens: 7 });
    const sent = site.upstream.requests.map(({ body }) => JSON.parse(body).max_tokens);
    expect(sent).toEqual([undefined, 7]);
  });

  it('refuses a group the user may not use, and a group that is not a string', async () => {
    expect(error(await send({ group: 'closed' }))).toEqual({
      status: 403,
      code: 'group_not_allowed',
    });
    expect(error(await send({ group: 7 }))).toEqual({ status: 400, code: 'invalid_value' });
    expect(site.upstream.requests).toHaveLength(0);
  });

  it('lets users use their own group, even if it is not selectable', async () => {
    await site.addChannel({ group: 'closed' });
    const own = await site.addUser({ group: 'closed' });
    expect((await send({ group: 'closed' }, await signedIn(site, own))).status).toBe(200);
  });

  it('refuses access tokens, API tokens and unauthenticated calls', async () => {
    const token = await site.as(OPERATOR).user.newAccessToken({ id: user.id });
    const unsupported = { status: 400, code: 'access_token_not_supported' };
    expect(error(await send({}, apiClient(site, String(token))))).toEqual(unsupported);
    expect(error(await send({}, apiClient(site, `Bearer ${site.token.key}`)))).toEqual(unsupported);
    expect((await send({}, apiClient(site))).status).toBe(401);
  });

  it('refuses a cross-site call with the cookies of a user', async () => {
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    const reply = await browser.send('POST', PATH, { body: REQUEST, headers });
    expect(reply.status).toBe(403);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    expect(site.upstream.requests).toHaveLength(0);
  });

  it('refuses an account without balance before the upstream call', async () => {
    const poor = await site.addUser({ quota: 0 });
    const reply = await send({}, await signedIn(site, poor));
    expect(error(reply)).toEqual({ status: 402, code: 'insufficient_user_quota' });
    expect(site.upstream.requests).toHaveLength(0);
  });

  it("counts towards a user's call limit", async () => {
    await site.option('ModelRequestRateLimitCount', 1);
    await site.option('ModelRequestRateLimitEnabled', true);
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
    await site.option('ModelRequestRateLimitEnabled', false);
  });

  it('refuses a banned user at the next call', async () => {
    await site.as(OPERATOR).user.manage({ id: user.id, action: 'disable' });
    expect((await send()).status).toBe(401);
  });
});
