import { expect, test } from 'vitest';
import {
  isExpired,
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

test('codes that are not unused and gifts at their last use count as spent', () => {
  expect(isSpent(aCode())).toBe(false);
  expect(isSpent(aCode({ status: 2 }))).toBe(true);
  expect(isSpent(aCode({ status: 3 }))).toBe(true);
  const gift = aCode({ is_gift: true, max_uses: 3, used_count: 2 });
  expect(isSpent(gift)).toBe(false);
  expect(isSpent({ ...gift, used_count: 3 })).toBe(true);
  expect(isSpent({ ...gift, max_uses: -1, used_count: 99 })).toBe(false);
});

test('a code without an end date never expires', () => {
  expect(isExpired(aCode(), 1_000)).toBe(false);
  expect(isExpired(aCode({ valid_until: 999 }), 1_000)).toBe(true);
  expect(isExpired(aCode({ valid_until: 1_001 }), 1_000)).toBe(false);
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
