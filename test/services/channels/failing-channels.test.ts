/** Which channels are failing: filter, order and verdict of the list, by calls and tests. */
import { describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const SIGNS = {
  '+': { ok: true, source: 'call' },
  '-': { ok: false, source: 'call' },
  T: { ok: true, source: 'test' },
  F: { ok: false, source: 'test' },
} as const;

describe.each(databases)('failing channels on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);

  /** A channel with these outcomes, a second apart; the first at `fromSec`. */
  async function channelWith(signs: string, fromSec = 1_000, status: 1 | 2 = 1) {
    const { id } = await site.aChannel({ status });
    const rows = [...signs].map((sign, at) => ({
      ...SIGNS[sign as keyof typeof SIGNS], // the signs of the rows below
      channel_id: id,
      test_run_id: 0,
      at_ms: (fromSec + at) * 1000,
      status: 500,
      latency_ms: 2,
      first_token_ms: 0,
      error_class: '',
      model: 'gpt-4o',
      message: `message ${at}`,
    }));
    if (rows.length > 0) await site.ctx.db('channel_outcomes').insert(rows);
    return id;
  }

  it.each([
    ['', 'unknown', 0],
    ['+', 'working', 0],
    ['+--', 'working', 0],
    ['---', 'failing', 1_000],
    ['+-F-', 'failing', 1_001],
    ['TF', 'failing', 1_001],
    ['F+', 'working', 0],
    ['FT-', 'working', 0],
  ] as const)('outcomes "%s" make a channel %s', async (signs, health, since) => {
    const id = await channelWith(signs);
    const channel = await api.channel.get({ id });
    expect(channel).toMatchObject({ health, failing_since: since });
    const ids = async (wanted: typeof health) =>
      (await api.channel.list({ health: wanted, page_size: 100 })).items.map((row) => row.id);
    for (const wanted of ['unknown', 'working', 'failing'] as const)
      if (wanted === health) expect(await ids(wanted)).toContain(id);
      else expect(await ids(wanted)).not.toContain(id);
  });

  it('are listed and counted, the oldest failure first', async () => {
    const later = await channelWith('----', 500);
    const earlier = await channelWith('+F', 100);
    await channelWith('+++', 1);
    const off = await channelWith('FFF', 1, 2);
    const { items, total } = await api.channel.list({ health: 'failing', sort: 'failing_since' });
    expect(items.slice(0, 2).map(({ id }) => id)).toEqual([earlier, later]);
    expect(total).toBe(items.length);
    const all = await api.channel.list({ sort: 'failing_since', page_size: 100 });
    expect(all.items.slice(0, 2).map(({ id }) => id)).toEqual([earlier, later]);
    expect(all.total).toBeGreaterThan(total);
    expect(all.items.find(({ id }) => id === off)).toMatchObject({ health: 'off' });
    expect(items[0]?.latest_outcome).toEqual({
      ok: false,
      at_ms: 101_000,
      latency_ms: 2,
      message: 'message 1',
    });
  });
});
