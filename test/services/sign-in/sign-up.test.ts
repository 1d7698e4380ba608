import { describe, expect, it } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { account } from '../../../src/services/sign-in/account-calls.ts';
import { requireMaySignIn, signUp } from '../../../src/services/sign-in/sign-up.ts';
import { userById, userByName } from '../../../src/store/tables/users-table.ts';
import { codeIn, sharedMailSite } from '../../support/account-mail.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import { type LocalSite, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const GUEST = { kind: 'user', id: 0, role: 0, group: '' } as const;
const PASSWORD = 'long enough';

async function options(
  site: LocalSite,
  values: Readonly<Record<string, string | number | boolean>>,
) {
  for (const [key, value] of Object.entries(values))
    await site.as(OPERATOR).option.set({ key, value });
}

describe.each(databases)('registration on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const register = (fields: object) =>
    site.as(GUEST).account.register({ username: 'nobody', password: PASSWORD, ...fields });

  it('creates a user with the opening balance and an invite code', async () => {
    await options(site, { QuotaForNewUser: 500 });
    await register({ username: ' Ann ' });
    const ann = await userByName(site.ctx.db, 'Ann');
    expect(ann).toMatchObject({ display_name: 'Ann', role: 1, status: 1, quota: 500, email: '' });
    expect(ann?.aff_code).toMatch(/^\w{8}$/);
    const { items } = await site.as(OPERATOR).log.list({ username: 'Ann' });
    expect(items.map(({ type, quota }) => [type, quota])).toEqual([[4, 500]]);
  });

  it.each([
    ['one name', ['twin', 'twin', 'twin', 'twin']],
    ['names that differ in case', ['Alike', 'aLIKE', 'ALIKE', 'alike']],
    ['names that differ in form', ['\u00c9lan', 'e\u0301lan', '\u00e9LAN', 'E\u0301LAN']],
  ])('with %s creates one account for concurrent requests', async (_, names) => {
    const calls = names.map((username) => register({ username }));
    expect(await outcomesOf(calls)).toEqual({ done: 1, user_name_taken: 3 });
  });

  it('with one identity creates one account for concurrent requests', async () => {
    const visitor = { passwordHash: '', displayName: '', email: '', affCode: '' };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => {
        const username = `gh${index}`;
        return writing(site.ctx, (ctx) =>
          signUp(ctx, { ...visitor, username, ids: { github_id: '4711' } }),
        );
      }),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const rows = await site.ctx.db('users').where({ github_id: '4711' });
    expect(rows).toHaveLength(1);
  });

  it('by invitation pays the new user and rewards the inviter, once each in the ledger', async () => {
    await options(site, { QuotaForNewUser: 0, QuotaForInviter: 70, QuotaForInvitee: 30 });
    const inviter = await site.aUser({ username: 'host' });
    const code = await site.as(inviter.actor).account.affCode({});
    const names = ['guest1', 'guest2', 'guest3'];
    await Promise.all(names.map((username) => register({ username, aff_code: code })));
    for (const name of names)
      expect(await userByName(site.ctx.db, name)).toMatchObject({
        quota: 30,
        inviter_id: inviter.id,
      });
    expect(await userById(site.ctx.db, inviter.id)).toMatchObject({
      quota: 0,
      aff_count: 3,
      aff_quota: 210,
      aff_history: 210,
    });
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
    const { items } = await site.as(OPERATOR).log.list({ username: 'guest1' });
    expect(items.map(({ type, quota }) => [type, quota])).toEqual([[4, 30]]);
  });

  it('accepts the largest opening quota and gift together in one balance', async () => {
    const largest = 1e15;
    for (const key of ['QuotaForNewUser', 'QuotaForInvitee', 'QuotaForInviter'])
      await expectRefusal(options(site, { [key]: largest + 1 }), 'option_invalid');
    await options(site, {
      QuotaForNewUser: largest,
      QuotaForInvitee: largest,
      QuotaForInviter: largest,
    });
    const inviter = await site.aUser();
    const full = Number.MAX_SAFE_INTEGER - largest + 1;
    await site.ctx.db('users').where({ id: inviter.id }).update({ aff_history: full });
    const aff_code = await site.as(inviter.actor).account.affCode({});
    await register({ username: 'rich', aff_code });
    expect(await userByName(site.ctx.db, 'rich')).toMatchObject({ quota: 2 * largest });
    // The inviter's reward would exceed the maximum: it is omitted, the account is created.
    expect(await userById(site.ctx.db, inviter.id)).toMatchObject({
      aff_count: 1,
      aff_quota: 0,
      aff_history: full,
    });
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
    await options(site, { QuotaForNewUser: 0 });
  });

  it('counts an invitation without a reward', async () => {
    await options(site, { QuotaForInviter: 0, QuotaForInvitee: 0 });
    const inviter = await site.aUser();
    await register({
      username: 'plain',
      aff_code: await site.as(inviter.actor).account.affCode({}),
    });
    expect(await userById(site.ctx.db, inviter.id)).toMatchObject({ aff_count: 1, aff_quota: 0 });
  });
});

describe('registration rules', async () => {
  const mailed = await sharedMailSite();
  const { site } = mailed;
  await site.aUser({ username: 'taken', email: 'taken@x.org' });

  const register = (fields: object) =>
    site.as(GUEST).account.register({ username: 'nobody', password: PASSWORD, ...fields });

  it.each([
    [{ username: '' }, 'input_invalid'],
    [{ username: ' \t ' }, 'input_invalid'],
    [{ username: 'a name' }, 'input_invalid'],
    [{ username: '1234567890123' }, 'input_invalid'],
    [{ password: '1234567' }, 'input_invalid'],
    [{ password2: 'another one' }, 'passwords_differ'],
    [{ username: 'taken' }, 'user_name_taken'],
  ])('refuse %o', async (wrong, code) => {
    await expect(register(wrong)).rejects.toMatchObject({ code });
  });

  it.each([
    [{ RegisterEnabled: false }, 'registration_off'],
    [{ SelfUseModeEnabled: true }, 'registration_off'],
    [{ PasswordRegisterEnabled: false }, 'password_registration_off'],
    [{ EmailVerificationEnabled: true }, 'email_code_needed'],
  ])('refuse registration while %o', async (values, code) => {
    await options(site, values);
    await expect(register({})).rejects.toMatchObject({ code });
    const back = Object.entries(values).map(([key, value]) => [key, !value]);
    await options(site, Object.fromEntries(back));
  });

  it('keep the name and the address of a closed account reserved', async () => {
    const closed = await site.aUser({ username: 'gone', email: 'gone@x.org' });
    await site.as(OPERATOR).user.remove({ id: closed.id });
    await expectRefusal(register({ username: 'gone' }), 'user_name_taken');
    await expectRefusal(site.as(GUEST).account.sendCode({ email: 'GONE@x.org' }), 'email_taken');
  });

  it('accept an address only with the code sent to it, and use the code up', async () => {
    await register({ username: 'unproved', email: 'ann@x.org' });
    expect(await userByName(site.ctx.db, 'unproved')).toMatchObject({ email: '' });
    await site.as(GUEST).account.sendCode({ email: 'Ann@x.org' });
    const verification_code = codeIn(await mailed.letterTo('Ann@x.org'));
    await register({ username: 'proved', email: 'ann@X.org', verification_code });
    expect(await userByName(site.ctx.db, 'proved')).toMatchObject({ email: 'ann@X.org' });
    const again = register({ username: 'second', email: 'ann@x.org', verification_code });
    await expectRefusal(again, 'email_code_wrong');
    expect(await userByName(site.ctx.db, 'second')).toBeUndefined();
  });

  it('keep the code valid when the name is taken', async () => {
    await site.as(GUEST).account.sendCode({ email: 'try@x.org' });
    const verification_code = codeIn(await mailed.letterTo('try@x.org'));
    const proof = { email: 'try@x.org', verification_code };
    await expectRefusal(register({ username: 'taken', ...proof }), 'user_name_taken');
    await register({ username: 'tryagain', ...proof });
  });

  it('ignore invite codes while invitations are off, and unknown ones always', async () => {
    const inviter = await site.aUser();
    const code = await site.as(inviter.actor).account.affCode({});
    await options(site, { AffEnabled: false, QuotaForInvitee: 10 });
    await register({ username: 'uninvited', aff_code: code });
    await options(site, { AffEnabled: true });
    await register({ username: 'unknown', aff_code: 'nobodys' });
    for (const name of ['uninvited', 'unknown'])
      expect(await userByName(site.ctx.db, name)).toMatchObject({ inviter_id: 0, quota: 0 });
  });

  it('allow ten registrations an hour per network, an IPv6 customer counting as one', async () => {
    const from = (address: string, username: string) =>
      account.register(
        site.ctx,
        GUEST,
        { username, password: PASSWORD },
        { ...terminalVisit(), address },
      );
    for (let index = 0; index < 10; index += 1) await from(`2001:db8::${index + 1}`, `net${index}`);
    await expect(from('2001:db8::ffff', 'net10')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSec: 3600,
    });
    await from('2001:db8:0:1::1', 'net11');
  });

  it('refuse sign-in for banned and closed accounts', () => {
    expect(() => requireMaySignIn({ status: 1, deleted_at: null })).not.toThrow();
    expect(() => requireMaySignIn({ status: 2, deleted_at: null })).toThrow('account_banned');
    expect(() => requireMaySignIn({ status: 1, deleted_at: 5 })).toThrow('account_closed');
  });
});

describe('automatic token creation for new accounts', async () => {
  const site = await sharedLocalSite('sqlite', { generateDefaultToken: true });

  it('names the token after the user and sets no limit', async () => {
    await site.as(GUEST).account.register({ username: 'newcomer', password: PASSWORD });
    const user = await userByName(site.ctx.db, 'newcomer');
    const { items } = await site.as(OPERATOR).token.list({ user: user?.id });
    expect(items).toMatchObject([{ name: 'newcomer', unlimited_quota: true, expired_time: -1 }]);
  });
});
