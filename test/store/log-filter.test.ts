import { expect, test } from 'vitest';
import { filteredLogs, type LogFilter } from '../../src/store/logs/log-filter.ts';
import { anEntry, NOON, writeEntries } from '../services/logs/log-entries.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

const LINE = anEntry({ content: 'Channel A [1] down', model_name: 'gpt-4o (new)', channel_id: 3 });

const site = await sharedLocalSite('sqlite');
await writeEntries(site.ctx, [LINE]);

test.each<[LogFilter, boolean]>([
  [{}, true],
  [{ type: 2, userId: 1, tokenName: 'ci', group: 'default', channelId: 3 }, true],
  [{ type: 0, channelId: 0, modelName: '', content: '' }, true],
  [{ type: 6 }, false],
  [{ channelId: 4 }, false],
  [{ modelName: 'gpt-4o' }, false],
  [{ modelName: 'GPT*(NEW)' }, true],
  [{ modelName: '*4o' }, false],
  [{ modelName: 'gpt.4o*' }, false],
  [{ content: 'channel a [1]' }, true],
  [{ content: 'down' }, false],
  [{ sinceSec: NOON, untilSec: NOON }, true],
  [{ sinceSec: NOON + 1 }, false],
  [{ untilSec: NOON - 1 }, false],
])('the filter %j matches the log entry: %s', async (filter, expected) => {
  const found = await filteredLogs(site.ctx.db, filter).where({ request_id: LINE.request_id });
  expect(found.length === 1).toBe(expected);
});

test.each<[number, string]>([
  [6, 'logs_other_type_created_at_index'],
  [2, 'logs_created_at_id_index'],
])('on SQLite the newest entries of type %s are read from %s', async (type, index) => {
  const newest = filteredLogs(site.ctx.db, { type }).orderBy('created_at', 'desc').limit(10);
  const { sql, bindings } = newest.select('id').toSQL();
  const plan = await site.ctx.db.raw(`explain query plan ${sql}`, [...bindings]);
  expect(JSON.stringify(plan)).toContain(index);
});
