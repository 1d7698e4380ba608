import { expect, test } from 'vitest';
import { isConflict, mergedList, mergedMap } from '../../../web/src/lib/text/merge.ts';

test('two edits of a list are joined: removed names leave, added ones stay', () => {
  expect(mergedList('a,b,c', 'a,c,mine', 'a,b,theirs')).toBe('a,theirs,mine');
  expect(mergedList('', 'mine', 'theirs')).toBe('theirs,mine');
  expect(mergedList('a', 'a,b', 'a,b')).toBe('a,b');
});

test('two edits of a map are joined entry by entry; mine win', () => {
  const merged = mergedMap(
    '{"kept":1,"gone":1,"both":1}',
    '{"kept":1,"both":2,"mine":1}',
    '{"kept":9,"gone":1,"both":3,"theirs":1}',
  );
  expect(JSON.parse(merged ?? '')).toEqual({ kept: 9, both: 2, theirs: 1, mine: 1 });
  expect(mergedMap('', '{"mine":1}', '')).toBe('{\n  "mine": 1\n}');
});

test('texts that are not maps are not merged', () => {
  expect(mergedMap('{}', '[1]', '{}')).toBeUndefined();
  expect(mergedMap('{}', '{', '{}')).toBeUndefined();
});

test('two edits conflict only if both changed the value, and differently', () => {
  const isOne = (base: string, mine: string, theirs: string) => isConflict({ base, mine, theirs });
  expect(isOne('1', '2', '3')).toBe(true);
  expect(isOne('1', '2', '1')).toBe(false);
  expect(isOne('1', '2', '2')).toBe(false);
  expect(isOne('{"a":1}', '{\n  "a": 2\n}', '{"a":2}')).toBe(false);
  expect(isOne('{"a":1}', '{"a":2}', '')).toBe(true);
  expect(isOne('{"a":1}', '{"a":2}', '{ "a": 1 }')).toBe(false);
});
