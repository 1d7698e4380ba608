import { expect, it } from 'vitest';
import { keyHint, splitKeys } from '../../../src/domain/channels/channel-keys.ts';

const ACCOUNT = '{\n  "type": "service_account",\n  "note": "a } in \\" text, and a { too"\n}';

it.each([
  ['sk-a', ['sk-a']],
  ['sk-a,sk-b\nsk-c\r\nsk-d', ['sk-a', 'sk-b', 'sk-c', 'sk-d']],
  [' sk-a , ,sk-a,\n', ['sk-a']],
  ['appid|secret|key', ['appid|secret|key']],
  [ACCOUNT, [ACCOUNT]],
  [
    `${ACCOUNT},\n${ACCOUNT.replace('note', 'memo')}\nsk-a`,
    [ACCOUNT, ACCOUNT.replace('note', 'memo'), 'sk-a'],
  ],
  ['[{"a":1},"sk-b"]', ['{"a":1}', 'sk-b']],
  ['[not json', ['[not json']],
  ['{never closed, as it is', ['{never closed, as it is']],
  ['', []],
  [' ,\n', []],
])('%j holds these keys', (text, keys) => {
  expect(splitKeys(text)).toEqual(keys);
});

it('a hint distinguishes keys without revealing one', () => {
  expect(keyHint('sk-1234567890abcdef')).toBe('sk-123***cdef');
  expect(keyHint('short')).toBe('***');
  expect(keyHint(ACCOUNT)).not.toContain('service_account');
  expect(keyHint('x'.repeat(500)).length).toBeLessThanOrEqual(16);
});
