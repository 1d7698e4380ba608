import { expect, test } from 'vitest';
import { eventually } from '../../support/site.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { addTenant } from '../tenant.ts';

const { site, raw } = await rawSite({ config: { strictHolds: false } });

const QUOTA = 100_000;
const MESSAGES = [{ role: 'user', content: 'Hi' }];

test('a call that needs nearly the whole balance is answered right after small ones', async () => {
  const price = { ratio: '1', completion: '1' };
  const one = await addTenant(site, { price, quota: QUOTA, channel: { base_url: raw.url } });
  raw.answer = whole({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 },
  });
  const send = (limit: number) => {
    const body = { model: one.model, messages: MESSAGES, max_tokens: limit };
    return site.call({ key: one.token.key, rawBody: JSON.stringify(body) });
  };
  await eventually('the small calls share a reservation', async () => {
    expect((await send(10)).status).toBe(200);
    const { held } = await site.ctx.db('users').where({ id: one.user.id }).first('held');
    return Number(held) > 0;
  });
  expect((await send(QUOTA * 0.9)).status).toBe(200);
  expect(await one.bill()).toMatchObject({ held: { user: 0, token: 0 } });
});
