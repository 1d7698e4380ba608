import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { createSignInSite, sharedSignInSite } from './sign-in-site.ts';

describe('sign-in with GitHub', async () => {
  const site = await sharedSignInSite();

  const rowOf = (github_id: string) => site.ctx.db('users').where({ github_id }).first();

  it('redirects the browser to a page with client, callback, scopes, state and challenge', async () => {
    const { url, state } = await site.browser().call('start', { provider: 'github' });
    const page = new URL(url);
    expect(page.href).toContain(`${site.fake.url}/login/oauth/authorize?`);
    expect(Object.fromEntries(page.searchParams)).toEqual({
      client_id: 'gateway',
      redirect_uri: 'https://gateway.example/oauth/github',
      scope: 'read:user user:email',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('identifies the account by its number, even under another login', async () => {
    const first = await site.signIn({ user: { id: 583231, login: 'octocat', name: 'Mona' } });
    expect(first.data).toMatchObject({
      display_name: 'Mona',
      role: 1,
      status: 1,
      group: 'default',
    });
    const again = await site.signIn({ user: { id: 583231, login: 'renamed', name: 'Mona' } });
    expect(again.data?.id).toBe(first.data?.id);
    expect(await rowOf('583231')).toMatchObject({ id: first.data?.id });
  });

  it('sends id, secret and verifier, and a user agent', async () => {
    await site.signIn({ user: { id: 2, login: 'two' } });
    const exchange = site.fake.requests.findLast(({ method }) => method === 'POST');
    expect(JSON.parse(exchange?.body ?? '')).toEqual({
      client_id: 'gateway',
      client_secret: 'github-secret',
      code: expect.any(String),
      redirect_uri: 'https://gateway.example/oauth/github',
      code_verifier: expect.any(String),
    });
    const call = site.fake.requests.findLast(({ path }) => path === '/user');
    expect(call?.headers['user-agent']).toBe('ai-model-gateway');
  });

  it('a code that was got for another challenge opens nothing', async () => {
    const granted = { user: { id: 3, login: 'three' }, challenge: 'c'.repeat(43) };
    await expectRefusal(site.signIn(granted), 'oauth_failed');
    expect(await rowOf('3')).toBeUndefined();
  });

  it('stores the primary address when GitHub has verified it', async () => {
    const emails = [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'four@example.com', primary: true, verified: true },
    ];
    await site.signIn({ user: { id: 4, login: 'four', email: 'shown@example.com' }, emails });
    expect(await rowOf('4')).toMatchObject({ email: 'four@example.com' });
  });

  it.each([
    ['it is not verified', [{ email: 'victim@example.com', primary: true, verified: false }]],
    ['the app may not see it', undefined],
    ['the list is of something else', [null, 'victim@example.com', 7]],
  ])('stores no address when %s', async (_, emails) => {
    const id = 50 + String(emails).length;
    const user = { id, login: `five-${id}`, email: 'victim@example.com' };
    await site.signIn({ user, ...(emails === undefined ? {} : { emails: emails as never }) });
    expect(await rowOf(String(id))).toMatchObject({ email: '' });
  });

  it('asks an account with the same address to sign in and bind', async () => {
    await site.aUser({ email: 'Six@example.com' });
    const emails = [{ email: 'six@EXAMPLE.com', primary: true, verified: true }];
    await expectRefusal(
      site.signIn({ user: { id: 6, login: 'six' }, emails }),
      'oauth_email_taken',
    );
    expect(await rowOf('6')).toBeUndefined();
  });

  it('omits an address that the site would refuse', async () => {
    await site.option('EmailDomainWhitelist', 'example.org');
    await site.option('EmailDomainRestrictionEnabled', true);
    const emails = [{ email: 'seven@example.com', primary: true, verified: true }];
    await site.signIn({ user: { id: 7, login: 'seven' }, emails });
    await site.option('EmailDomainRestrictionEnabled', false);
    expect(await rowOf('7')).toMatchObject({ email: '' });
  });

  it('converts an account stored by its login name to the number', async () => {
    const user = await site.aUser({ ids: { github_id: 'oldtimer' } });
    const { data } = await site.signIn({ user: { id: 8, login: 'oldtimer' } });
    expect(data?.id).toBe(user.id);
    expect(await rowOf('8')).toMatchObject({ id: user.id });
    const impostor = await site.signIn({ user: { id: 9, login: 'oldtimer' } });
    expect(impostor.data?.id).not.toBe(user.id);
  });

  it('a numeric login does not match the account with that number', async () => {
    const victim = await site.aUser({ ids: { github_id: '583232' } });
    const { data } = await site.signIn({ user: { id: 999_001, login: '583232' } });
    expect(data?.id).not.toBe(victim.id);
  });

  it.each([{}, { id: '' }, { id: null }, { id: 1.5 }, { id: 'a\nb' }, { id: ' 1' }])(
    'a response without an identity is refused: %j',
    async (user) => {
      await expectRefusal(site.signIn({ user }), 'oauth_failed');
    },
  );

  it('is refused while it is disabled, and the state is used up', async () => {
    const browser = site.browser();
    const { state } = await browser.call('start', { provider: 'github' });
    await site.option('GitHubOAuthEnabled', false);
    await expectRefusal(browser.call('start', { provider: 'github' }), 'oauth_off');
    await expectRefusal(browser.call('github', { code: 'x', state }), 'oauth_off');
    await site.option('GitHubOAuthEnabled', true);
    await expectRefusal(browser.call('github', { code: 'x', state }), 'oauth_state_invalid');
  });

  it('a used or invalid code is distinguished from a failing provider', async () => {
    const browser = site.browser();
    const state = await browser.call('state', {});
    await expectRefusal(browser.call('github', { code: 'made-up', state }), 'oauth_code_wrong');
  });
});

it('a GitHub that does not respond is reported', async () => {
  const site = await createSignInSite();
  const browser = site.browser();
  const state = await browser.call('state', {});
  await site.fake.close();
  await expectRefusal(browser.call('github', { code: 'any', state }), 'oauth_failed', {
    params: { provider: 'github' },
  });
  await site.close();
});

it('accepts the addresses of an Enterprise server with or without a trailing slash', () => {
  const api = 'https://github.corp.example/api/v3';
  expect(loadConfig({ githubApiUrl: `${api}/` }, {}).githubApiUrl).toBe(api);
  expect(() => loadConfig({}, { GATEWAY_GITHUB_URL: 'github.corp.example' })).toThrow(
    expect.objectContaining({ code: 'config_invalid', param: 'githubUrl' }),
  );
});
