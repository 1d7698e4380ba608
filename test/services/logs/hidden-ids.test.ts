import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSecrets } from '../../../src/secrets.ts';
import { hiddenId, rowIdOf } from '../../../src/services/logs/hidden-ids.ts';

const secrets = createSecrets(Buffer.alloc(32, 'a test key '));
const ids = fc.integer({ min: 1, max: 2 ** 48 - 1 });

it('a row is found by its hidden id, which is a number that JSON keeps exact', () => {
  void fc.assert(
    fc.property(ids, (id) => {
      const hidden = hiddenId(secrets, 'log', id);
      expect(Number.isSafeInteger(hidden) && hidden >= 0).toBe(true);
      expect(rowIdOf(secrets, 'log', hidden)).toBe(id);
    }),
  );
});

it('consecutive hidden ids are far apart, and differ per table and site', () => {
  const hidden = [1, 2, 3, 4].map((id) => hiddenId(secrets, 'log', id));
  expect(new Set(hidden.map((id) => Math.floor(id / 2 ** 32))).size).toBeGreaterThan(1);
  expect(hiddenId(secrets, 'task', 1)).not.toBe(hidden[0]);
  const elsewhere = createSecrets(Buffer.alloc(32, 'another key'));
  expect(hiddenId(elsewhere, 'log', 1)).not.toBe(hidden[0]);
});

it('any guessed hidden id decodes to some number', () => {
  void fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (tried) => {
      const id = rowIdOf(secrets, 'log', tried);
      expect(Number.isSafeInteger(id) && id >= 0).toBe(true);
    }),
  );
});
