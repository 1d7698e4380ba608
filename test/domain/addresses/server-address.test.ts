import { expect, it } from 'vitest';
import { fitsListener, localServerAddress } from '../../../src/domain/addresses/server-address.ts';

it.each([
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3101', false],
  ['http://0.0.0.0:3000', false],
  ['https://ai.example', false],
])('the default address of a site at %s fits: %s', (listener, fits) => {
  expect(fitsListener(localServerAddress(0), listener)).toBe(fits);
});

it('the default address of a process has its port', () => {
  expect(localServerAddress(3101)).toBe('http://localhost:3101');
  expect(fitsListener(localServerAddress(3101), 'http://127.0.0.1:3101')).toBe(true);
  expect(fitsListener(localServerAddress(3101), 'http://0.0.0.0:3101')).toBe(false);
});

it('a configured address fits any listener', () => {
  expect(fitsListener('https://ai.example', 'http://0.0.0.0:3101')).toBe(true);
});
