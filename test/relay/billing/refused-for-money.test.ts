/** Clients stop at a call that the balance does not cover, and read amounts before units. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteToken } from '../../support/site.ts';
import { CLIENTS } from '../../system/matrix/clients.ts';
import { setPrice } from '../tenant.ts';

/** Codex repeats every other status than 400. */
const STATUSES: Readonly<Record<string, number>> = { responses: 400 };
const MODEL = 'costly';

const site = await sharedSite({ options: { MissingMaxTokens: 'refuse' } });
await site.addChannel({ models: MODEL });
await setPrice(site, MODEL, { ratio: '50', completion: '4' });

const SHORT: readonly (readonly [string, () => Promise<SiteToken>])[] = [
  ['user', async () => site.addToken({ owner: await site.addUser({ quota: 210_000 }) })],
  ['API token', () => site.addToken({ remain_quota: 210_000 })],
];

describe.each(CLIENTS.map((client) => [client.label, client] as const))('%s', (_label, client) => {
  test.each(SHORT)('a %s with too little quota', async (owner, addToken) => {
    const { key } = await addToken();
    const request = client.request(MODEL, { text: 'Hi', maxTokens: 5_000 });
    const answer = await site.call({ ...request, key });
    expect(answer.status).toBe(STATUSES[client.name] ?? 402);
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(JSON.parse(answer.text).error.message).toMatch(
      new RegExp(
        String.raw`^The quota of the ${owner} is too low: \$2\.\d+ needed, \$0\.42 left ` +
          String.raw`\(units: 1\.0\dM needed, 0\.21M left\)\.`,
      ),
    );
  });
});
