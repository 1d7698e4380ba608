import { afterEach, describe, expect, it } from 'vitest';
import { terminalVisit, type Visit } from '../../../src/api/call.ts';
import { createSecrets } from '../../../src/secrets.ts';
import * as setup from '../../../src/services/site/setup.ts';
import { setupLink } from '../../../src/services/site/setup-code.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { createLocalSite, type LocalSite, OPERATOR } from '../../support/local-site.ts';
import { codeOf } from '../../support/setup-link.ts';

const GUEST = { kind: 'user', id: 0, role: 0, group: '' } as const;
const FAR: Visit = { ...terminalVisit(), via: 'anonymous', address: '203.0.113.7' };
const INPUT = {
  username: 'root',
  password: 'password1',
  confirmPassword: 'password1',
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
  ServerAddress: '',
  trust_proxy: false,
};

let site: LocalSite;
afterEach(() => site.close());

async function printedCode(): Promise<string> {
  const link = await setupLink(site.ctx, 'http://gateway.example');
  return codeOf(link);
}

function runFrom(visit: Visit, fields: Partial<Parameters<typeof setup.run>[2]> = {}) {
  return setup.run(site.ctx, GUEST, { ...INPUT, ...fields }, visit);
}

describe.each(databases)('the set-up code on $kind', ({ kind }) => {
  it('is the same on every starting node, and encrypted in the database', async () => {
    site = await createLocalSite(kind);
    const links = await Promise.all([1, 2, 3, 4].map(() => setupLink(site.ctx, 'http://x')));
    expect(new Set(links).size).toBe(1);
    expect(links[0]).toMatch(/^http:\/\/x\/setup#code=[\w-]{24}$/);
    const code = links[0]?.split('=')[1] ?? 'none';
    expect(JSON.stringify(await site.ctx.db('setup_codes'))).not.toContain(code);
  });

  it('allows one set-up over HTTP, and is then deleted', async () => {
    site = await createLocalSite(kind);
    const code = await printedCode();
    await expectRefusal(runFrom(FAR), 'setup_code_wrong', { param: 'code' });
    await expectRefusal(runFrom(FAR, { code: `${code}x` }), 'setup_code_wrong');
    await runFrom(FAR, { code });
    expect(await site.ctx.db('setup_codes')).toEqual([]);
    expect(await setupLink(site.ctx, 'http://x')).toBeUndefined();
    await expectRefusal(runFrom(FAR, { code }), 'already_set_up');
  });

  it('is void after ten wrong attempts, even concurrent ones; the next start creates another', async () => {
    site = await createLocalSite(kind);
    const code = await printedCode();
    const guesses = Array.from({ length: 25 }, (_, index) => runFrom(FAR, { code: `no${index}` }));
    const outcomes = await Promise.allSettled(guesses);
    const codes = outcomes.map((one) => (one.status === 'rejected' ? one.reason.code : 'in'));
    expect(codes.filter((one) => one === 'setup_code_wrong')).toHaveLength(10);
    expect(codes.filter((one) => one === 'setup_code_void')).toHaveLength(15);
    await expectRefusal(runFrom(FAR, { code }), 'setup_code_void');
    const nexts = await Promise.all([1, 2, 3, 4].map(printedCode));
    expect(new Set(nexts).size).toBe(1);
    const [next = ''] = nexts;
    expect(next).not.toBe(code);
    await runFrom(FAR, { code: next });
  });
});

describe('set-up over HTTP', () => {
  it('does not count the correct code as an attempt', async () => {
    site = await createLocalSite();
    const code = await printedCode();
    for (let at = 0; at < 12; at++)
      await expectRefusal(runFrom(FAR, { code, confirmPassword: 'another1' }), 'passwords_differ');
    await runFrom(FAR, { code });
  });

  it('is closed while no server has printed a code', async () => {
    site = await createLocalSite();
    await expectRefusal(runFrom(FAR, { code: 'anything' }), 'setup_code_void');
  });

  it('gets a new code when the encryption key of the old one is lost', async () => {
    site = await createLocalSite();
    const lost = { ...site.ctx, secrets: createSecrets(Buffer.alloc(32, 'another key ')) };
    await setupLink(lost, 'http://x');
    await runFrom(FAR, { code: await printedCode() });
  });

  it('requires the code from a loopback address, and none in a terminal', async () => {
    site = await createLocalSite();
    const near = { ...FAR, address: '127.0.0.1' };
    expect(await setup.state(site.ctx, GUEST, {}, near)).toMatchObject({ code_needed: true });
    await expectRefusal(runFrom(near), 'setup_code_wrong', { param: 'code' });
    const typed = terminalVisit();
    expect(await setup.state(site.ctx, GUEST, {}, typed)).toMatchObject({ code_needed: false });
    await runFrom(typed);
  });

  it.each(['nginx', 'cloudflare', 'caddy'] as const)(
    'trusts %s only when configured',
    async (proxy) => {
      site = await createLocalSite();
      const behind = { ...FAR, proxy };
      expect(await setup.state(site.ctx, GUEST, {}, behind)).toMatchObject({
        proxy_detected: proxy,
      });
      await runFrom(behind, { code: await printedCode() });
      expect(site.ctx.options().get('ReverseProxyEnabled')).toBe(false);
      await site.close();
      site = await createLocalSite();
      const ServerAddress = 'https://ai.example/';
      await runFrom(behind, { code: await printedCode(), trust_proxy: true, ServerAddress });
      expect(site.ctx.options().get('ServerAddress')).toBe('https://ai.example');
      expect(site.ctx.options().get('ReverseProxyEnabled')).toBe(true);
      expect(site.ctx.options().get('ReverseProxyProvider')).toBe(proxy);
    },
  );

  it('sets no trusted proxy without one, and reveals nothing once set up', async () => {
    site = await createLocalSite();
    await runFrom(FAR, { code: await printedCode(), trust_proxy: true });
    expect(site.ctx.options().get('ReverseProxyEnabled')).toBe(false);
    expect(await setup.state(site.ctx, OPERATOR, {}, { ...FAR, proxy: 'nginx' })).toEqual({
      status: true,
      root_init: false,
      database_type: '',
      code_needed: false,
      proxy_detected: '',
    });
  });
});
