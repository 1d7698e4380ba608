/** From an empty folder to an accounted model call, with curl only. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { env, execPath } from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setupLink } from '../../../src/services/site/setup-code.ts';
import { codeOf } from '../../support/setup-link.ts';
import { aSite, UPSTREAM_KEY } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { buildProgram } from '../../system/ledger/gateway-process.ts';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/server.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const KEY = 'sk-of-the-upstream';

let upstream: FakeUpstream;
beforeAll(async () => {
  await buildProgram();
  upstream = await startFakeUpstream({ keys: [KEY] });
});
afterAll(() => upstream.close());

/** The developer's environment is not passed on. */
function journey(given: Readonly<Record<string, string>>) {
  const { PATH = '', TMPDIR = '/tmp' } = env;
  return execa('sh', ['test/server/routes/curl-site.sh'], {
    cwd: ROOT,
    extendEnv: false,
    env: { PATH, TMPDIR, GATEWAY: `${execPath} bin/gateway.js`, UPSTREAM_KEY: KEY, ...given },
    reject: false,
  });
}

it('the curl quick start leads from an empty folder to a call that is answered and charged', async () => {
  const { exitCode, stdout, stderr } = await journey({ UPSTREAM: upstream.url });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^done: 2 calls, \d+ units$/m);
  // The channel's test and the two calls.
  expect(upstream.stats.byEndpoint.chat).toBe(3);
});

it('the curl quick start fails visibly at the step that goes wrong', async () => {
  const { exitCode, stderr } = await journey({ UPSTREAM: upstream.url, UPSTREAM_KEY: 'sk-wrong' });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('FAILED at: connect the upstream as a channel and test it');
});

it('the documented curl quick start is the tested one', async () => {
  const page = await readFile(path.join(ROOT, 'docs/management-api.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block);
  const site = await aSite();
  const script = blocks
    .join('\n')
    .replace('http://127.0.0.1:3000', site.url)
    .replace('https://api.openai.com', site.upstream.url)
    .replace('sk-your-key', UPSTREAM_KEY)
    .replace('3pVnq0', codeOf(await setupLink(site.ctx, site.url)));
  const folder = tempFolder();
  const { stdout } = await execa('sh', ['-eu', '-c', script], { cwd: folder });
  expect(stdout).not.toMatch(/"success":false|"error"/);
  expect(stdout).toContain('data: [DONE]');
  expect(stdout).toMatch(/"ok":true/);
  // The two calls, of this user only.
  expect(stdout).toMatch(/"request_count":2/);
  expect(stdout).toMatch(/"data":\["gpt-[^\]]*\]\}$/);
  await site.close();
});
