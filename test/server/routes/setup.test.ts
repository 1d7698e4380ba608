/** Set-up over HTTP: who may create the root account, and how a refusal is returned. */
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { serveUntilStopped } from '../../../src/server/serve.ts';
import type { ServeReport } from '../../../src/server/serve-hooks.ts';
import { setupLink } from '../../../src/services/site/setup-code.ts';
import { apiClient } from '../../support/api-client.ts';
import { codeOf } from '../../support/setup-link.ts';
import { aSite, eventually, type Site } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const INPUT = { username: 'root', password: 'password1', confirmPassword: 'password1' };
const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

let site: Site;
afterEach(() => site?.close());

async function printedCode(): Promise<string> {
  return codeOf(await setupLink(site.ctx, site.url));
}

it('set-up from loopback without forwarding headers needs the code, and succeeds once', async () => {
  site = await aSite();
  const guest = apiClient(site);
  const state = await guest.send('GET', '/api/setup');
  expect(state.body.data).toMatchObject({ status: false, code_needed: true, proxy_detected: '' });
  const code = await printedCode();
  const refused = await guest.send('POST', '/api/setup', { body: INPUT });
  expect(refused).toMatchObject({ status: 400, body: { code: 'setup_code_wrong', param: 'code' } });
  const misplaced = { ...INPUT, code, ServerAddress: 'ai.example' };
  expect(await guest.send('POST', '/api/setup', { body: misplaced })).toMatchObject({
    status: 400,
    body: { success: false, param: 'ServerAddress' },
  });
  const differs = { ...INPUT, code, confirmPassword: 'password2' };
  expect(await guest.send('POST', '/api/setup', { body: differs })).toMatchObject({
    status: 400,
    body: { success: false, code: 'passwords_differ' },
  });
  const done = await guest.send('POST', '/api/setup', { body: { ...INPUT, code } });
  expect(done).toMatchObject({ status: 200, body: { success: true } });
  const again = await guest.send('POST', '/api/setup', { body: { ...INPUT, code } });
  expect(again).toMatchObject({ status: 400, body: { success: false, code: 'already_set_up' } });
  expect((await guest.send('GET', '/api/setup')).body.data.status).toBe(true);
  expect(await setupLink(site.ctx, site.url)).toBeUndefined();
});

it('set-up through a proxy needs the code of the printed link', async () => {
  site = await aSite();
  const guest = apiClient(site);
  const send = (body: object) => guest.send('POST', '/api/setup', { body, headers: FORWARDED });
  const state = await guest.send('GET', '/api/setup', { headers: FORWARDED });
  expect(state.body.data).toMatchObject({ code_needed: true, proxy_detected: 'nginx' });
  const printed = await printedCode();
  for (const code of [undefined, '', 'wrong'])
    expect(await send({ ...INPUT, code })).toMatchObject({
      status: 400,
      body: { success: false, code: 'setup_code_wrong', param: 'code' },
    });
  const done = await send({ ...INPUT, code: printed, trust_proxy: true });
  expect(done).toMatchObject({ status: 200, body: { success: true } });
  expect(site.ctx.options().get('ReverseProxyEnabled')).toBe(true);
});

it.each([
  [{ body: { ...INPUT, password: 'short', confirmPassword: 'short' } }, 'input_invalid'],
  [{ body: { ...INPUT, username: 'thirteenchars' } }, 'input_invalid'],
  [{ body: ['no', 'object'] }, 'body_not_object'],
  [{ rawBody: '{"username":', headers: { 'content-type': 'application/json' } }, 'body_not_json'],
])('set-up with %j is answered with 400 and creates no account', async (input, code) => {
  site = await aSite();
  const reply = await apiClient(site).send('POST', '/api/setup', input);
  expect(reply).toMatchObject({ status: 400, body: { success: false, code } });
  expect((await apiClient(site).send('GET', '/api/setup')).body.data.status).toBe(false);
});

it('serve prints the set-up link until the site is set up', async () => {
  const dataDir = tempFolder();
  const config = loadConfig({ dataDir, port: 0, web: false, logLevel: 'silent' }, {});
  const outputOf = async (
    follow: (link: URL | undefined, facts: ServeReport) => Promise<unknown>,
  ): Promise<void> => {
    let facts: ServeReport | undefined;
    const ending = new AbortController();
    const served = serveUntilStopped(config, {
      listening(address) {
        facts = address;
      },
      draining: () => undefined,
      signal: ending.signal,
    });
    const address = await eventually('it listens', () => facts);
    await follow(address.setupUrl === undefined ? undefined : new URL(address.setupUrl), address);
    ending.abort();
    await served;
  };
  await outputOf(async (link) => {
    const code = codeOf(link?.href);
    const body = { ...INPUT, code };
    const reply = await apiClient({ url: link?.origin ?? '' }).send('POST', '/api/setup', {
      body,
      headers: FORWARDED,
    });
    expect(reply.body).toMatchObject({ success: true });
  });
  await outputOf(async (link, facts) => {
    expect(link).toBeUndefined();
    expect(facts.mismatchedAddress).toBe('http://localhost:3000');
  });
});
