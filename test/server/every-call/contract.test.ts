/** Checks that every path known to programs for similar gateways exists. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { handledCalls } from '../../../src/handlers.ts';
import { apiClient } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { CONTRACT_PATHS } from './contract-paths.ts';

const PAGE = '<!doctype html><title>console</title>';

const folder = tempFolder();
await writeFile(path.join(folder, 'index.html'), PAGE);
const site = await sharedSite({
  config: {
    web: true,
    webRoot: folder,
    apiRateLimitEnabled: false,
    webRateLimitEnabled: false,
    criticalRateLimitEnabled: false,
  },
});

/** `GET /api/token/:` regardless of parameter names and trailing slash. */
function patternOf(line: string): string {
  return line.replaceAll(/:\w+/g, ':').replace(/(?<=.)\/$/u, '');
}

const rows = new Set(
  handledCalls().flatMap(({ call }) =>
    [call, ...(call.also ?? [])].map(({ method, path }) => patternOf(`${method} ${path}`)),
  ),
);

const lines = Object.values(CONTRACT_PATHS).flat();

describe('the call tables', () => {
  // Over HTTP alone `/api/user/:id` would match a missing `/api/user/aff`.
  it.each(lines.filter((line) => / \/api\//.test(line)))('have a row for %s', (line) => {
    expect(rows).toContain(patternOf(line.replace('/epay/notify', '/:provider/notify')));
  });
});

describe('the server', () => {
  it.each(lines)('answers %s with and without a trailing slash', async (line) => {
    const [method = '', name = ''] = line.split(' ');
    const bare = name.replaceAll(/:\w+/g, '1').replace(/\/$/u, '');
    const options = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const answers = [];
    for (const address of [bare, `${bare}/`]) {
      const { status, text } = await apiClient(site).send(method, address, options);
      expect([404, 405]).not.toContain(status);
      expect(text).not.toBe(PAGE);
      answers.push(status);
    }
    expect(answers[1]).toBe(answers[0]);
  });
});

it("allows scripts of any origin to read a token's log by access token, never by cookie", async () => {
  const origin = 'https://elsewhere.example';
  const path = `/api/log/token?key=${site.token.key}`;
  const preflight = await apiClient(site).send('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': 'GET' },
  });
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
  expect(preflight.headers['access-control-allow-headers']).toMatch(/authorization/);
  const access = await site.as({ kind: 'operator' }).user.newAccessToken({ id: site.user.id });
  const reply = await apiClient(site, access).send('GET', path, { headers: { origin } });
  expect(reply.body.success).toBe(true);
  expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*' });
  expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
  const others = await apiClient(site, access).send('GET', '/api/log/self', {
    headers: { origin },
  });
  expect(others.headers['access-control-allow-origin']).toBeUndefined();
});
