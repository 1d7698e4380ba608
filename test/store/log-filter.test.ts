import { expect, test } from 'vitest';
import { admits, type LogFilter } from '../../src/store/logs/log-filter.ts';
import { aLine, NOON } from '../services/log-lines.ts';

const LINE = aLine({ content: 'Channel A [1] down', model_name: 'gpt-4o (new)', channel_id: 3 });

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
])('the filter %j matches the log entry: %s', (filter, expected) => {
  expect(admits(filter, LINE)).toBe(expected);
});
