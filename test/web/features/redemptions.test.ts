import { expect, test } from 'vitest';
import { redemptionState } from '../../../src/domain/redemption-state.ts';
import {
  isSpent,
  type Redemption,
  redeemLink,
} from '../../../web/src/features/redemptions/calls.ts';
import {
  BLANK_CODE,
  codeEdit,
  codeProblems,
  codeValues,
  newCodes,
} from '../../../web/src/features/redemptions/editor/code-form.ts';

function aCode(fields: Partial<Redemption> = {}): Redemption {
  return {
    id: 5,
    user_id: 1,
    name: 'launch',
    key: 'k'.repeat(32),
    status: 1,
    state: 'unused',
    quota: 500_000,
    created_time: 1,
    redeemed_time: 0,
    used_user_id: 0,
    is_gift: false,
    max_uses: -1,
    used_count: 0,
    valid_from: 0,
    valid_until: 0,
    ...fields,
  };
}

test.each([
  [{}, 'unused'],
  [{ status: 2, valid_until: 999 }, 'disabled'],
  [{ status: 3, valid_until: 999 }, 'used'],
  [{ is_gift: true, max_uses: 3, used_count: 2 }, 'unused'],
  [{ is_gift: true, max_uses: 3, used_count: 3 }, 'used'],
  [{ is_gift: true, max_uses: -1, used_count: 99 }, 'unused'],
  [{ valid_until: 999 }, 'expired'],
  [{ valid_until: 1_001 }, 'unused'],
  [{ valid_from: 1_001, valid_until: 2_000 }, 'upcoming'],
  [{ valid_from: 1_000 }, 'unused'],
] as const)('a code with %j is %s', (fields, state) => {
  const code = aCode(fields);
  expect(redemptionState(code, 1_000)).toBe(state);
  expect(isSpent({ ...code, state })).toBe(!['unused', 'upcoming'].includes(state));
});

test('a new code has 100000 units, one use and no time limit', () => {
  expect(BLANK_CODE).toMatchObject({ quota: 100_000, count: 1, max_uses: -1, is_gift: false });
  expect(codeProblems(BLANK_CODE, true)).toEqual({});
});

test('a blank name becomes the value of the code', () => {
  expect(newCodes({ ...BLANK_CODE, name: '  ' }, '$0.20').name).toBe('$0.20');
  expect(newCodes({ ...BLANK_CODE, name: ' gift ' }, '$0.20').name).toBe('gift');
});

test('count is 1 to 100, a name at most 20 signs and needed once the code exists', () => {
  for (const count of [0, 101, 1.5]) {
    expect(codeProblems({ ...BLANK_CODE, count }, true)).toEqual({ count: 'count' });
  }
  expect(codeProblems({ ...BLANK_CODE, count: 100 }, true)).toEqual({});
  expect(codeProblems({ ...BLANK_CODE, name: 'x'.repeat(21) }, true)).toEqual({ name: 'nameLong' });
  expect(codeProblems(BLANK_CODE, false)).toEqual({ name: 'nameMissing' });
});

test('uses are limited for gifts only, and -1 is without limit', () => {
  const gift = { ...BLANK_CODE, is_gift: true };
  expect(codeProblems({ ...gift, max_uses: 0 }, true)).toEqual({ max_uses: 'maxUses' });
  expect(codeProblems({ ...gift, max_uses: -1 }, true)).toEqual({});
  expect(newCodes({ ...gift, max_uses: 3 }, '').max_uses).toBe(3);
  expect(newCodes({ ...BLANK_CODE, max_uses: 3 }, '').max_uses).toBe(-1);
});

test('a custom code is allowed for a single code only', () => {
  const own = { ...BLANK_CODE, key: ' SUMMER-26 ' };
  expect(newCodes(own, '')).toMatchObject({ key: 'SUMMER-26' });
  expect(newCodes({ ...own, count: 2 }, '')).not.toHaveProperty('key');
  expect(codeProblems({ ...own, key: 'no blanks' }, true)).toEqual({ key: 'key' });
});

test('a code must start before it ends; open ends are sent as 0', () => {
  const window = { ...BLANK_CODE, valid_from: 200, valid_until: 200 };
  expect(codeProblems(window, true)).toEqual({ valid_until: 'window' });
  expect(codeProblems({ ...window, valid_until: 201 }, true)).toEqual({});
  expect(newCodes(BLANK_CODE, '')).toMatchObject({ valid_from: 0, valid_until: 0 });
});

test('an edit sends name, quota and both dates, and shows open dates as blank', () => {
  const values = codeValues(aCode({ valid_until: 900 }));
  expect(values.valid_from).toBeUndefined();
  expect(codeEdit(5, values)).toEqual({
    id: 5,
    name: 'launch',
    quota: 500_000,
    valid_from: 0,
    valid_until: 900,
  });
});

test('the redeem link uses the public address of the site', () => {
  expect(redeemLink('https://ai.example.com', 'a b')).toBe(
    'https://ai.example.com/app/wallet?code=a%20b',
  );
});
