import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { hashPassword } from '../../../src/services/credentials/passwords.ts';
import { account } from '../../../src/services/sign-in/account-calls.ts';
import { passwordHashOf } from '../../../src/store/tables/users-table.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const GUEST = { kind: 'user', id: 0, role: 0, group: '' } as const;
const PASSWORD = 'right password';

describe('signing in', async () => {
  const site = await sharedLocalSite();
  const password = await hashPassword(PASSWORD);

  const login = (username: string, given = PASSWORD) =>
    site.as(GUEST).account.login({ username, password: given });

  it('accepts the name or the email address, in any letter case', async () => {
    const { id } = await site.aUser({ username: 'ann', email: 'Ann@X.org', password });
    const user = { id, username: 'ann', display_name: '', role: 1, status: 1, group: 'default' };
    expect(await login('ann')).toEqual(user);
    expect(await login(' ann@x.ORG ')).toEqual(user);
    await expectRefusal(login('ANN'), 'login_failed');
  });

  it('is logged with its time, which administrators see', async () => {
    const { id } = await site.aUser({ username: 'dora', password });
    const { user } = site.as(OPERATOR);
    const before = await user.get({ id });
    expect(before.last_login_time).toBe(0);
    site.pass(60);
    await login('dora');
    const after = await user.get({ id });
    expect(after.created_time).toBe(before.created_time);
    expect(after.last_login_time).toBe(before.created_time + 60);
  });

  it('works for an email owner despite a user name equal to that address', async () => {
    const owner = await site.aUser({ username: 'owner', email: 'o@wn.er', password });
    const other = await site.aUser({
      username: 'other',
      password: await hashPassword('another one'),
    });
    // Imported accounts may have such a name.
    await site.ctx.db('users').where({ id: other.id }).update({ username: 'o@wn.er' });
    expect(await login('o@wn.er')).toMatchObject({ id: owner.id });
  });

  it('responds the same to a wrong name, wrong or missing password, ban and closed account', async () => {
    await site.aUser({ username: 'bob', password });
    await site.aUser({ username: 'nopass' });
    const banned = await site.aUser({ username: 'banned', password });
    await site.as(OPERATOR).user.manage({ id: banned.id, action: 'disable' });
    const closed = await site.aUser({ username: 'closed', password });
    await site.as(OPERATOR).user.remove({ id: closed.id });
    const refused = [
      login('nobody'),
      login('bob', 'wrong password'),
      login('nopass', 'x'),
      login('banned'),
      login('closed'),
    ];
    for (const outcome of await Promise.allSettled(refused))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'login_failed' } });
  });

  it('is blocked after ten failures for an account from an address, even concurrent ones', async () => {
    await site.aUser({ username: 'target', password: await bcrypt.hash(PASSWORD, 4) });
    const from = (address: string, given: string) =>
      account.login(
        site.ctx,
        GUEST,
        { username: 'target', password: given },
        { ...terminalVisit(), address },
      );
    const tries = Array.from({ length: 12 }, (_, index) => from('192.0.2.1', `guess ${index}`));
    expect(await outcomesOf(tries)).toEqual({ login_failed: 10, login_limited: 2 });
    await expectRefusal(from('192.0.2.1', PASSWORD), 'login_limited', {
      status: 429,
      params: { minutes: 15 },
    });
    expect(await from('192.0.2.2', PASSWORD)).toMatchObject({ username: 'target' });
    site.pass(15 * 60);
    expect(await from('192.0.2.1', PASSWORD)).toMatchObject({ username: 'target' });
  });

  it('resets the failure count on success', async () => {
    await site.aUser({ username: 'clumsy', password: await bcrypt.hash(PASSWORD, 4) });
    const wrong = async (times: number) => {
      for (let time = 0; time < times; time += 1)
        await expectRefusal(login('clumsy', 'wrong'), 'login_failed');
    };
    await wrong(9);
    await login('clumsy');
    await wrong(2);
  });

  it('replaces an older password hash with a current one', async () => {
    const { id } = await site.aUser({
      username: 'imported',
      password: await bcrypt.hash(PASSWORD, 4),
    });
    await login('imported');
    expect(await passwordHashOf(site.ctx.db, id)).toMatch(/^scrypt:/);
    expect(await login('imported')).toMatchObject({ id });
  });

  it('with a password can be disabled', async () => {
    await site.as(OPERATOR).option.set({ key: 'PasswordLoginEnabled', value: false });
    await expectRefusal(login('ann'), 'password_login_off');
    await site.as(OPERATOR).option.set({ key: 'PasswordLoginEnabled', value: true });
  });
});
