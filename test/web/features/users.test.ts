import { expect, test } from 'vitest';
import { MANAGE_ACTIONS } from '../../../src/domain/roles.ts';
import type { User } from '../../../web/src/features/users/calls.ts';
import {
  BLANK_USER,
  newUserProblems,
  selfInput,
  selfProblems,
  userChange,
  userProblems,
  userValues,
} from '../../../web/src/features/users/editor/user-form.ts';
import { refusalOf } from '../../../web/src/features/users/refusals.ts';

const ROOT = { id: 1, role: 100 };
const ADMIN = { id: 2, role: 10 };

function aUser(fields: Partial<User> = {}): User {
  return {
    id: 7,
    username: 'alice',
    display_name: 'Alice',
    role: 1,
    status: 1,
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    group: 'default',
    quota: 1_000_000,
    used_quota: 0,
    held: 0,
    request_count: 0,
    max_concurrency: 0,
    tokens_per_minute: 0,
    aff_code: '',
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    language: null,
    created_time: 0,
    last_login_time: 0,
    DeletedAt: null,
    ...fields,
  };
}

test('administrators manage only users of a lower role, and never their own account', () => {
  for (const action of Object.keys(MANAGE_ACTIONS) as (keyof typeof MANAGE_ACTIONS)[]) {
    expect(refusalOf(action, ADMIN, aUser({ role: 10 }))).toBe('level');
    expect(refusalOf(action, ADMIN, aUser({ role: 100 }))).toBe('level');
    expect(refusalOf(action, ROOT, aUser({ id: ROOT.id, role: 100 }))).toBe('self');
  }
  expect(refusalOf('edit', ADMIN, aUser({ id: ADMIN.id, role: 10 }))).toBeUndefined();
});

test('only a super admin promotes, and only users', () => {
  expect(refusalOf('promote', ADMIN, aUser())).toBe('promoting');
  expect(refusalOf('promote', ROOT, aUser())).toBeUndefined();
  expect(refusalOf('promote', ROOT, aUser({ role: 10 }))).toBe('isAdmin');
});

test('a super admin is never disabled, deleted or demoted, and a user cannot be demoted', () => {
  for (const action of ['disable', 'delete', 'demote'] as const)
    expect(refusalOf(action, ROOT, aUser({ role: 100 }))).toBe('superAdmin');
  expect(refusalOf('demote', ROOT, aUser())).toBe('notAdmin');
  expect(refusalOf('demote', ROOT, aUser({ role: 10 }))).toBeUndefined();
});

test('a locked account is not enabled from the list', () => {
  expect(refusalOf('enable', ROOT, aUser({ status: 3 }))).toBe('locked');
  expect(refusalOf('enable', ROOT, aUser({ status: 2 }))).toBeUndefined();
});

test('a new user needs a name and a password of eight signs', () => {
  expect(newUserProblems(BLANK_USER)).toEqual({ username: 'required', password: 'required' });
  expect(newUserProblems({ ...BLANK_USER, username: ' ', password: '1234567' })).toEqual({
    username: 'required',
    password: 'password',
  });
  expect(
    newUserProblems({ ...BLANK_USER, username: 'twelve_signs', password: '12345678' }),
  ).toEqual({});
  expect(
    newUserProblems({ ...BLANK_USER, username: 'thirteen_sign', password: '12345678' }),
  ).toEqual({ username: 'name' });
});

test('saving an account sends only changed fields', () => {
  const user = aUser();
  expect(userChange(7, userValues(user), userValues(user))).toEqual({ edit: { id: 7 }, added: 0 });
  const changed = { ...userValues(user), display_name: ' Alice B. ', group: 'vip' };
  expect(userChange(7, changed, userValues(user)).edit).toEqual({
    id: 7,
    display_name: 'Alice B.',
    group: 'vip',
  });
});

test('a password is sent only when it was filled', () => {
  const user = aUser();
  expect(userChange(7, userValues(user), userValues(user)).edit).not.toHaveProperty('password');
  const filled = { ...userValues(user), password: 'new password' };
  expect(userChange(7, filled, userValues(user)).edit).toMatchObject({ password: 'new password' });
});

test('a typed quota is sent as a whole number', () => {
  const user = aUser();
  const typed = { ...userValues(user), quota: 2_500_000 };
  expect(userChange(7, typed, userValues(user))).toEqual({
    edit: { id: 7, quota: 2_500_000 },
    added: 0,
  });
  expect(userProblems({ ...typed, quota: 0.5 }, userValues(user))).toEqual({ quota: 'quota' });
});

test('an amount added to the quota is sent as that amount, not as a total that may be old', () => {
  const user = aUser();
  const added = { ...userValues(user), quota: 1_500_000, adjusted: 500_000 };
  expect(userChange(7, added, userValues(user))).toEqual({ edit: { id: 7 }, added: 500_000 });
  const typedAfterwards = { ...added, quota: 9_000_000, adjusted: 0 };
  expect(userChange(7, typedAfterwards, userValues(user))).toEqual({
    edit: { id: 7, quota: 9_000_000 },
    added: 0,
  });
});

test('an existing invalid name may stay unchanged', () => {
  const user = aUser({ username: 'a much longer name' });
  expect(userProblems(userValues(user), userValues(user))).toEqual({});
  expect(
    userProblems({ ...userValues(user), username: 'another much longer' }, userValues(user)),
  ).toEqual({
    username: 'name',
  });
});

test("a user's own password may stay blank, and is sent only when it is typed", () => {
  const before = { username: 'alice' };
  const values = { username: 'alice', display_name: '', password: 'short' };
  expect(selfProblems(values, before)).toEqual({ password: 'password' });
  expect(selfProblems({ ...values, password: '' }, before)).toEqual({});
  expect(selfInput({ ...values, password: '' })).not.toHaveProperty('password');
});

test('sends account caps only if they changed, and refuses them where they do not apply', () => {
  const user = aUser({ max_concurrency: 3 });
  const values = { ...userValues(user), tokens_per_minute: 90_000 };
  expect(userChange(7, values, userValues(user)).edit).toEqual({
    id: 7,
    tokens_per_minute: 90_000,
  });
  expect(userProblems({ ...values, max_concurrency: 1.5 }, userValues(user))).toEqual({
    max_concurrency: 'cap',
  });
});
