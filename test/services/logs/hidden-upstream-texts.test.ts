import { expect, it } from 'vitest';
import { createLocalSite, OPERATOR } from '../../support/local-site.ts';
import { anEntry, DAY, NOON, writeEntries } from './log-entries.ts';

it('texts of upstreams are hidden from users where the operator wants it', async () => {
  const site = await createLocalSite();
  const api = site.as(OPERATOR);
  const bob = await site.aUser();
  const gone = anEntry({
    request_id: 'secret',
    type: 6,
    content: 'Account acme@upstream.example is out of credit',
    user_id: bob.id,
    created_at: NOON - 3 * DAY,
    other: JSON.stringify({ error_code: 'acme_credit', status_code: 402, channel_id: 1 }),
  });
  const own = anEntry({
    ...gone,
    request_id: 'stated',
    content: 'The upstream is silent',
    other: JSON.stringify({ status_code: 504, reason: { error: 'upstream_garbled' } }),
  });
  const refund = anEntry({
    ...gone,
    request_id: 'refunded',
    type: 7,
    content: 'Refunded for acme@upstream.example',
    other: JSON.stringify({
      event: 'task_refunded',
      params: { action: 'MUSIC', task: 't1', units: 5, reason: 'acme@upstream.example said no' },
    }),
  });
  await writeEntries(site.ctx, [gone, own, refund]);
  await api.option.set({ key: 'global.hide_upstream_error_enabled', value: true });
  const { log } = site.as(bob.actor);
  const exported = async (parts: AsyncIterable<string>) => {
    let text = '';
    for await (const part of parts) text += part;
    return text;
  };
  const shown = [
    JSON.stringify(await log.listOwn({ until: NOON - 2 * DAY - 1 })),
    JSON.stringify(await log.get({ request_id: 'secret' })),
    JSON.stringify(await log.get({ request_id: 'refunded' })),
    JSON.stringify(await site.as(bob.actor).ledger.explain({ request_id: 'secret' })),
    await exported(await log.exportOwnCsv({})),
    await exported(await log.exportOwnJsonl({})),
  ];
  for (const text of shown) expect(text).not.toMatch(/acme/);
  const [row] = await log.get({ request_id: 'secret' });
  expect(row?.content).toBe('Upstream error with status code 402');
  const [stated] = await log.get({ request_id: 'stated' });
  expect(stated?.content).not.toMatch(/status code/);
  expect((await api.log.get({ request_id: 'secret' }))[0]?.content).toBe(gone.content);
  await api.option.unset({ key: 'global.hide_upstream_error_enabled' });
  expect((await log.get({ request_id: 'secret' }))[0]?.content).toBe(gone.content);
  await site.close();
});
