import { afterAll, beforeAll, expect, it } from 'vitest';
import { aSite, type Site } from '../../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await aSite();
});
afterAll(() => site.close());

it.each([
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1beta/models/gpt-4o:generateContent',
])('the endpoint %s of the client snippets exists', async (path) => {
  const { status } = await site.call({ path, body: {} });
  expect(status).toBe(400);
});
