import { expect, it } from 'vitest';
import { abilitiesOf } from '../../../src/domain/channels/abilities.ts';

const CHANNEL = { id: 4, models: '', group: '', status: 1, priority: 2, weight: 3, tag: '' };

it('gives one row per group and model, with trimmed names, no blanks and no duplicates', () => {
  const rows = abilitiesOf({ ...CHANNEL, models: ' a ,b,,a', group: 'default, vip,' });
  expect(rows.map((row) => `${row.group}/${row.model}`)).toEqual([
    'default/a',
    'default/b',
    'vip/a',
    'vip/b',
  ]);
  expect(rows[0]).toEqual({
    group: 'default',
    model: 'a',
    channel_id: 4,
    enabled: true,
    priority: 2,
    weight: 3,
    tag: null,
  });
});

it.each([2, 3])('gives disabled rows for a channel of status %i', (status) => {
  const [row] = abilitiesOf({ ...CHANNEL, models: 'a', group: 'g', status, tag: 't' });
  expect(row).toMatchObject({ enabled: false, tag: 't' });
});
