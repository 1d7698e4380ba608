/** A channel with a prompt limit: longer prompts use other channels, or are refused for free. */
import { expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';
import { refusalIn, withoutCost } from '../refusal.ts';

const site = await sharedSite({ upstreams: 2 });

const send = (content: string, key?: string) =>
  site.call({
    body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content }] },
    ...(key === undefined ? {} : { key }),
  });
const LONG = 'many words '.repeat(200);

test('a long prompt goes to a channel with room for it, a short one by priority', async () => {
  const [short, long] = site.upstreams;
  await site.as(OPERATOR).channel.edit({ id: site.channel.id, max_input_tokens: 100, priority: 5 });
  expect((await send('hi')).status).toBe(200);
  expect([short?.stats.calls, long?.stats.calls]).toEqual([1, 0]);
  expect((await send(LONG)).status).toBe(200);
  expect([short?.stats.calls, long?.stats.calls]).toEqual([1, 1]);
});

test("a prompt over every channel's limit is refused and costs nothing", async () => {
  const { items } = await site.as(OPERATOR).channel.list({});
  for (const { id } of items) await site.as(OPERATOR).channel.edit({ id, max_input_tokens: 100 });
  const answer = await withoutCost(site, () => send(LONG));
  expect(refusalIn(answer)).toMatchObject({
    status: 400,
    code: 'context_length_exceeded',
    message: expect.stringContaining('at most 100'),
  });
  expect((await send('hi')).status).toBe(200);
});
