/** Realtime responses that fail: what is recorded, and that they cost nothing. */
import { expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { UPSTREAM_KEY } from '../../support/site.ts';
import { failureOf, open, realtimeTenant } from './realtime-tenant.ts';

const site = await sharedSite();

test.each([
  [
    'in the words of the upstream without its key',
    { code: 'server_error', message: `${UPSTREAM_KEY} is broken` },
    { code: 'server_error', message: 'sk-*** is broken' },
  ],
  [
    'with a reason if the upstream gives none',
    undefined,
    { code: 'response_failed', message: '', reason: { event: 'response_failed' } },
  ],
])('a failed response of a realtime session is recorded %s', async (_how, error, attempt) => {
  const tenant = await realtimeTenant(site);
  const response = { status: 'failed', status_details: { type: 'failed', error } };
  tenant.script({ replay: [JSON.stringify({ type: 'response.done', response })] });
  const session = await open(tenant);
  await session.exchange('Hello');
  session.socket.close(1000);
  await session.end();
  const { attempts } = await failureOf(site, session.requestId);
  expect(JSON.parse(attempts)).toMatchObject([attempt]);
  await site.settled(tenant.user.id);
  await tenant.expectNothing(session.requestId);
});
