/** Third-party sign-in as a browser sees it: cookies, statuses and response forms. */
import { createHash, createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { nowSec } from '../../../src/context.ts';
import {
  type FakeProviders,
  startFakeProviders,
} from '../../services/sign-in/identity/fake-providers.ts';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';

const BOT = '1:bot';

describe('third-party sign-in over HTTP', async () => {
  let fake: FakeProviders;
  fake = await startFakeProviders();
  const site = await sharedSite({
    config: {
      githubUrl: fake.url,
      githubApiUrl: fake.url,
      apiRateLimitEnabled: false,
      criticalRateLimitEnabled: false,
    },
    options: {
      GitHubClientId: 'gateway',
      GitHubOAuthEnabled: true,
      TelegramBotToken: BOT,
      TelegramOAuthEnabled: true,
    },
  });
  afterAll(() => fake.close());

  const codeOf = (id: number) => fake.grant({ user: { id, login: `octo-${id}` } });

  it('returns a state and, for it, the signed-in user', async () => {
    const browser = apiClient(site);
    const { body: begun } = await browser.send('GET', '/api/oauth/state?aff=');
    expect(begun).toMatchObject({ success: true, message: '', data: expect.any(String) });
    const path = `/api/oauth/github?code=${codeOf(1)}&state=${begun.data}`;
    const { status, body } = await browser.send('GET', path);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: '',
      data: {
        id: expect.any(Number),
        username: expect.stringMatching(/^github_/),
        display_name: 'GitHub User',
        role: 1,
        status: 1,
        group: 'default',
      },
    });
    expect((await browser.send('GET', '/api/token/')).body.success).toBe(true);
  });

  it('returns `bind` to a user who was already signed in', async () => {
    const browser = await signedIn(site, await site.addUser());
    const { body: begun } = await browser.send('GET', '/api/oauth/github/start?return_to=/app/me');
    const { url, state } = begun.data as { url: string; state: string };
    const challenge = new URL(url).searchParams.get('code_challenge') ?? '';
    const code = fake.grant({ user: { id: 2, login: 'two' }, challenge });
    const { body } = await browser.send('GET', `/api/oauth/github?code=${code}&state=${state}`);
    expect(body).toEqual({ success: true, message: 'bind', return_to: '/app/me' });
  });

  it('answers 403 for a state that is missing or from another browser', async () => {
    const { data: state } = (await apiClient(site).send('GET', '/api/oauth/state')).body;
    for (const query of ['', '?code=1', '?code=1&state=', `?code=1&state=${state}`]) {
      const { status, body } = await apiClient(site).send('GET', `/api/oauth/github${query}`);
      expect(status).toBe(403);
      expect(body).toMatchObject({ success: false, code: 'oauth_state_invalid' });
    }
  });

  it('answers 401 when binding without a signed-in user', async () => {
    for (const [method, path] of [
      ['GET', '/api/oauth/wechat/bind?code=1'],
      ['POST', '/api/oauth/wechat/bind'],
      ['GET', '/api/oauth/telegram/bind?id=1&auth_date=1&hash=x'],
      ['POST', '/api/oauth/telegram/bind'],
      ['POST', '/api/oauth/unbind'],
    ] as const)
      expect((await apiClient(site).send(method, path)).status).toBe(401);
  });

  it('redirects to the personal page after the Telegram widget has bound', async () => {
    const browser = await signedIn(site, await site.addUser());
    await browser.send('GET', '/api/oauth/state');
    const fields = { auth_date: String(nowSec(site.ctx)), first_name: 'Ada', id: '77' };
    const text = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    const key = createHash('sha256').update(BOT).digest();
    const hash = createHmac('sha256', key).update(text.join('\n')).digest('hex');
    const query = new URLSearchParams({ ...fields, hash });
    const answer = await browser.send('GET', `/api/oauth/telegram/bind?${query}`);
    expect([answer.status, answer.headers.location]).toEqual([302, '/app/me']);
  });

  it('refuses callbacks started by other sites', async () => {
    const browser = apiClient(site);
    const { data: state } = (await browser.send('GET', '/api/oauth/state')).body;
    const path = `/api/oauth/github?code=${codeOf(3)}&state=${state}`;
    const { status, body } = await browser.send('GET', path, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([status, body.code]).toEqual([403, 'origin_denied']);
  });
});
