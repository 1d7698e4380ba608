import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLIENT_ENDPOINTS } from '../../src/domain/channels/client-endpoints.ts';
import { aSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await aSite();
});
afterAll(() => site.close());

it.each(Object.entries(CLIENT_ENDPOINTS).filter(([, { isServed }]) => isServed))(
  'the documented endpoint for %s exists',
  async (_name, { path }) => {
    const { status } = await site.call({ path: path.replace('{model}', 'gpt-4o'), body: {} });
    expect(status).toBe(400);
  },
);
