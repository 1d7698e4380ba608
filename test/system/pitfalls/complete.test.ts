import { expect, test } from 'vitest';
import { namedTests, PITFALLS, UNTESTED } from './list.ts';

test('every pitfall has one test with its number, or a reason why not', () => {
  const ids = [...namedTests().map(({ id }) => id), ...Object.keys(UNTESTED)].sort();
  const all = Array.from({ length: PITFALLS }, (_, at) => `D${String(at + 1).padStart(2, '0')}`);
  expect(ids).toEqual(all);
});
