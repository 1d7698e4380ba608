import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOf } from '../../../src/relay/http/body-hash.ts';

const MB = 1024 * 1024;
const long = Buffer.alloc(3 * MB + 7, 'a long body ');

test.each([
  ['nothing', undefined, ''],
  ['a text', '漢字', '漢字'],
  ['bytes of several slices', long, long],
  ['pieces', [Buffer.from('one'), long, Buffer.from('two')], `one${long}two`],
])('hashes %s as a whole', async (_case, body, whole) => {
  expect(await hashOf(body)).toBe(createHash('sha256').update(whole).digest('hex'));
});

test('yields to the event loop while it hashes a long body', async () => {
  const body = Buffer.alloc(64 * MB);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await hashOf(body);
  isOver = true;
  // 64 MB take 30 ms if the processor supports SHA-256; a slice takes 8.
  expect(turns).toBeGreaterThanOrEqual(2);
});
