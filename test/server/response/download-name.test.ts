import { expect, test } from 'vitest';
import { downloadName } from '../../../src/server/response/download-name.ts';

test.each([
  ['/api/log/export.csv', {}, 'log.csv'],
  [
    '/api/log/self/export.jsonl',
    {
      model_name: 'gpt-4o*',
      type: 'spend',
      start_timestamp: 1_795_262_400,
      end_timestamp: 1_795_348_800,
    },
    'log-gpt-4o-spend-2026-11-21_2026-11-22.jsonl',
  ],
  [
    '/api/log/export.csv',
    { channel: 3, username: 'a"b/../c', language: 'en' },
    'log-channel-3-a-b-..-c.csv',
  ],
  ['/api/log/list', {}, undefined],
])('%s with %j is saved as %s', (path, input, name) => {
  expect(downloadName(path, input)).toBe(name);
});
