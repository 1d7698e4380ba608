import { expect, it } from 'vitest';
import { randomText } from '../../src/services/random/random-text.ts';

it('random text rejects bytes that would cause bias, and continues until it has enough', () => {
  const given = [Buffer.from([0, 255, 61]), Buffer.from([248]), Buffer.from([62])];
  expect(randomText(() => given.shift() ?? Buffer.alloc(0), 3)).toBe('0z0');
});
