import { expect, it } from 'vitest';
import {
  DEFAULT_SERVER_ADDRESS,
  fitsListener,
} from '../../../src/domain/addresses/server-address.ts';

it.each([
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3101', false],
  ['http://0.0.0.0:3000', false],
  ['https://ai.example', false],
])('the default address of a server at %s fits: %s', (listener, fits) => {
  expect(fitsListener(DEFAULT_SERVER_ADDRESS, listener)).toBe(fits);
});

it('a configured address fits any listener', () => {
  expect(fitsListener('https://ai.example', 'http://0.0.0.0:3101')).toBe(true);
});
