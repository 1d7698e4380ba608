import { describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { createLocalSite, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, NOON, writeEntries } from './log-entries.ts';

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

describe.each(databases)('a log export on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const ann = await site.aUser({ username: 'ann' });
  const channelId = (await site.aChannel({ name: 'main' })).id;
  await site.ctx.db('logs').delete();
  const other = JSON.stringify({ model_ratio: 1, admin_info: { use_channel: ['1'] } });
  await writeEntries(site.ctx, [
    anEntry({ request_id: 'r2', user_id: ann.id, channel_id: channelId, other, cost: 4711 }),
    anEntry({
      request_id: 'r1',
      user_id: ann.id,
      created_at: NOON - DAY,
      token_name: '=1+1',
      content: 'said "no", then\nleft',
    }),
    anEntry({ request_id: 'r3', user_id: 99, username: '@bob' }),
  ]);

  const jsonLines = async (stream: AsyncIterable<string>) =>
    (await textOf(stream))
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));

  it('is CSV with a header, oldest first, without formulas', async () => {
    const text = await textOf(await site.as(OPERATOR).log.exportCsv({}));
    const [head, first] = text.split('\n');
    expect(head).toMatch(/^time,id,created_at,type,request_id,/);
    expect(first).toMatch(/^2026-11-20T12:00:00\.000Z,\d+,\d+,consume,r1,/);
    expect(text).toContain(",'=1+1,");
    expect(text).toContain(",'@bob,");
    expect(text).toContain('"said ""no"", then\nleft"');
    expect(text).toContain(`,${channelId},main,`);
    expect(text.indexOf('r2')).toBeLessThan(text.indexOf('r3'));
    expect(head).toMatch(/,other,cost,usd$/);
    expect(text).toMatch(/,4711,-?\d+\.\d{6}\n/);
  });

  it('is JSON lines with `other` as an object', async () => {
    const rows = await jsonLines(await site.as(OPERATOR).log.exportJsonl({ request_id: 'r2' }));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ channel: channelId, cost: 4711, other: { model_ratio: 1 } });
  });

  it('gives users their own entries only, without upstreams', async () => {
    const own = site.as(ann.actor).log;
    const rows = await jsonLines(await own.exportOwnJsonl({}));
    expect(rows.map((row) => [row.request_id, row.channel])).toEqual([
      ['r1', 0],
      ['r2', 0],
    ]);
    expect(rows[1].other).toEqual({ model_ratio: 1 });
    const text = await textOf(await own.exportOwnCsv({}));
    expect(text).not.toContain('main');
    expect(text).not.toContain('@bob');
    expect([JSON.stringify(rows), text].join()).not.toMatch(/cost|4711/);
  });

  it('uses the filters of the list', async () => {
    const { exportJsonl } = site.as(OPERATOR).log;
    expect(await jsonLines(await exportJsonl({ username: 'ann', until: NOON - 1 }))).toMatchObject([
      { request_id: 'r1' },
    ]);
    expect(await textOf(await exportJsonl({ username: 'nobody' }))).toBe('');
  });

  it('is complete when many entries share a second, and ends while more are written', async () => {
    const many = Array.from({ length: 2500 }, (_, at) =>
      anEntry({ request_id: `m${at}`, model_name: 'many', created_at: NOON - (at % 3) }),
    );
    await writeEntries(site.ctx, many);
    let written = 0;
    const found: string[] = [];
    for await (const part of await site.as(OPERATOR).log.exportJsonl({ model_name: 'many' })) {
      if (written < 20) await writeEntries(site.ctx, [anEntry({ model_name: 'many' })]);
      written += 1;
      for (const row of part.trim().split('\n')) found.push(JSON.parse(row).request_id);
    }
    expect(found).toHaveLength(2500);
    expect(new Set(found)).toEqual(new Set(many.map((row) => row.request_id)));
  });
});

it('a log export uses little memory, however long the log and its entries are', async () => {
  const site = await createLocalSite('sqlite');
  try {
    const other = JSON.stringify({ input_content: 'x'.repeat(3_000) });
    for (let part = 0; part < 20; part += 1)
      await writeEntries(
        site.ctx,
        Array.from({ length: 1_000 }, (_, at) =>
          anEntry({ created_at: NOON - 20_000 + part * 1_000 + at, other }),
        ),
      );
    let rows = 0;
    let longest = 0;
    for await (const part of await site.as(OPERATOR).log.exportJsonl({})) {
      rows += part.split('\n').length - 1;
      longest = Math.max(longest, part.length);
    }
    expect(rows).toBeGreaterThanOrEqual(20_000);
    expect(longest).toBeLessThan(5_000_000);
  } finally {
    await site.close();
  }
});
