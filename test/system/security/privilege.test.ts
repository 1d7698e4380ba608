/** Privilege escalation: no account can exceed its own role through any route. */
import { describe, expect, it } from 'vitest';
import {
  mayUseOption,
  OPTION_KEYS,
  type OptionKey,
  optionRowOf,
} from '../../../src/domain/options/registry.ts';
import { type ApiClient, apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { changeCheck } from './tables.ts';

const LIMITS = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };
const PASSWORD = 'a long password';

const site = await sharedSite({ config: LIMITS });
const expectUnchanged = changeCheck(site);
const self = await site.addUser();
const user = await signedIn(site, self);
const admin = await signedIn(site, await site.addUser({ role: 10 }));
const root = await signedIn(site, await site.addUser({ role: 100 }));

/** Options that could make an admin a super admin, or redirect payments or mail. */
const FOR_SUPER_ADMINS =
  /^(SMTP|Epay|PayAddress|CustomCallback|Turnstile|Worker|TopUpLink|custom_head|global_(css|js)$|SelfUseMode|DemoSite|ServerAddress|oidc\.(well_known|\w+_endpoint|client_secret)|WeChatServer|\w+(Secret|BotToken)$)/;

describe('options', () => {
  it('that contain secrets or could raise an admin are reserved for super admins', () => {
    const dangerous = OPTION_KEYS.filter(
      (key) => FOR_SUPER_ADMINS.test(key) || optionRowOf(key).secret,
    );
    expect(dangerous.length).toBeGreaterThan(25);
    expect(dangerous.filter((key) => optionRowOf(key).role !== 100)).toEqual([]);
  });

  const standard = (key: OptionKey) => ({ key, value: optionRowOf(key).fallback });
  const doors = (asker: ApiClient, key: OptionKey) =>
    Promise.all([
      asker.send('GET', `/api/option/${key}`),
      asker.send('PUT', '/api/option/', { body: standard(key) }),
      asker.send('PUT', '/api/option/batch', {
        body: { options: [standard('SystemName'), standard(key)] },
      }),
      asker.send('DELETE', `/api/option/${key}`),
    ]);

  it.each(OPTION_KEYS.filter((key) => optionRowOf(key).role > 10))(
    '%s is not accessible to an admin',
    async (key) => {
      await expectUnchanged(async () => {
        for (const reply of await doors(admin, key))
          expect(reply.body.code).toBe('permission_denied');
      });
      const all = (await admin.send('GET', '/api/option/')).body.data;
      expect(all.map((one: { key: string }) => one.key)).not.toContain(key);
    },
  );

  it('are not accessible to a user', async () => {
    for (const key of OPTION_KEYS)
      for (const reply of await doors(user, key))
        expect([key, reply.body.code]).toEqual([key, 'permission_denied']);
  });

  it.each(OPTION_KEYS.filter((key) => optionRowOf(key).secret))(
    '%s can be set but never read, not even by a super admin',
    async (key) => {
      const secret = `secret-of-${key}`;
      const destinations = [{ name: secret, kind: 'email', address: 'a@b.example' }];
      const value = key === 'AlertDestinations' ? JSON.stringify(destinations) : secret;
      const put = await root.send('PUT', '/api/option/', { body: { key, value } });
      expect(put.body.success).toBe(true);
      const reply = [
        await root.send('GET', '/api/option/'),
        await root.send('GET', `/api/option/${key}`),
        await root.send('GET', '/api/option/audit', { query: { key } }),
        await root.send('GET', '/api/log/', { query: { page_size: 100 } }),
        await root.send('GET', '/api/status'),
      ];
      for (const { text } of reply) expect(text).not.toContain(secret);
      expect(reply[1]?.body.data).toMatchObject({ secret: true, is_set: true, value: '' });
      expect(put.text).not.toContain(secret);
    },
  );

  it('for super admins have their values removed from what admins read', async () => {
    const value = 'https://top-up.example/for-super-admins';
    await root.send('PUT', '/api/option/', { body: { key: 'TopUpLink', value } });
    for (const address of ['/api/option/', '/api/option/audit', '/api/log/?page_size=100'])
      expect((await admin.send('GET', address)).text).not.toContain(value);
  });

  it('for admins are in the list', async () => {
    const shown = (await admin.send('GET', '/api/option/')).body.data;
    const keys = shown.map((one: { key: string }) => one.key).sort();
    const own = OPTION_KEYS.filter((key) => mayUseOption(10, key) && !optionRowOf(key).secret);
    expect(keys).toEqual([...own].sort());
  });
});

describe('admin', () => {
  const rolesNow = async () => {
    const rows: { id: number; role: number }[] = await site.ctx.db('users').select('id', 'role');
    return rows.filter(({ role }) => role >= 10).map(({ id }) => Number(id));
  };

  it('cannot create an admin through any route', async () => {
    const before = await rolesNow();
    const { id } = await site.addUser();
    const account = { username: 'planted', password: PASSWORD };
    const tries = [
      await admin.send('POST', '/api/user/', { body: { ...account, role: 10 } }),
      await admin.send('POST', '/api/user/', { body: { ...account, role: 100 } }),
      await admin.send('PUT', '/api/user/', { body: { id, role: 10 } }),
      await admin.send('PUT', '/api/user/', { body: { id, role: 100 } }),
      await admin.send('POST', '/api/user/manage', { body: { id, action: 'promote' } }),
      await admin.send('POST', `/api/user/${id}/token`),
      await admin.send('POST', '/api/setup', {
        body: { ...account, confirmPassword: PASSWORD, code: '' },
      }),
      await admin.send('POST', '/api/job/log-clear/run'),
      await admin.send('POST', '/api/topup/T1/complete'),
      await admin.send('POST', '/api/option/test_mail', { body: { email: 'a@b.example' } }),
    ];
    for (const reply of tries)
      expect(['permission_denied', 'user_protected', 'already_set_up']).toContain(reply.body.code);
    expect(await rolesNow()).toEqual(before);
  });

  it('cannot raise its own role or balance', async () => {
    const mine = (await admin.send('GET', '/api/user/self')).body.data;
    for (const [method, path, body] of [
      ['PUT', '/api/user/', { id: mine.id, role: 100, quota: 1e12 }],
      ['POST', '/api/user/quota', { id: mine.id, mode: 'add', units: 1_000_000 }],
      ['POST', '/api/user/manage', { id: mine.id, action: 'promote' }],
    ] as const)
      expect((await admin.send(method, path, { body })).body.success).toBe(false);
    expect((await admin.send('GET', '/api/user/self')).body.data).toEqual(mine);
  });

  it('saves none of several options if one of them is reserved for super admins', async () => {
    const options = [
      { key: 'SystemName', value: 'half saved' },
      { key: 'global_js', value: 'alert(1)' },
    ];
    const reply = await admin.send('PUT', '/api/option/batch', { body: { options } });
    expect(reply.body.code).toBe('permission_denied');
    expect((await admin.send('GET', '/api/option/SystemName')).body.data.value).not.toBe(
      'half saved',
    );
  });
});

/** Columns that no request may write, each with a value that would be noticed. */
const GREEDY = {
  id: 1,
  role: 100,
  status: 1,
  quota: 999_999_999,
  held: -999_999_999,
  used_quota: -1,
  remain_quota: 999_999_999,
  request_count: -1,
  group: 'vip',
  inviter_id: 1,
  aff_quota: 999_999_999,
  aff_count: 999,
  user_id: 1,
  used_user_id: 1,
  used_count: 0,
  session_version: 0,
  access_token_hash: 'x',
  password_hash: 'x',
  key_hash: 'x',
  key_cipher: 'x',
  created_time: 1,
  deleted_at: null,
  DeletedAt: null,
  github_id: '1',
  oidc_id: '1',
  balance: 1,
  response_time: 1,
};

describe('extra fields in a request', () => {
  const rowOfTable = (table: string, where: object) => site.ctx.db(table).where(where).first();

  it('do not raise balance or role at registration', async () => {
    const body = { ...GREEDY, username: 'greedy', password: PASSWORD, email: undefined };
    expect((await apiClient(site).send('POST', '/api/user/register', { body })).body.success).toBe(
      true,
    );
    expect(await rowOfTable('users', { username: 'greedy' })).toMatchObject({
      role: 1,
      status: 1,
      quota: site.ctx.options().get('QuotaForNewUser'),
      group: 'default',
      inviter_id: 0,
      aff_quota: 0,
      used_quota: 0,
      access_token_hash: null,
    });
  });

  it('do not change protected fields of the own account', async () => {
    const before = await rowOfTable('users', { id: self.id });
    for (const [method, path] of [
      ['PUT', '/api/user/self'],
      ['PUT', '/api/user/setting'],
    ] as const) {
      const body = { ...GREEDY, display_name: before.display_name };
      expect((await user.send(method, path, { body })).body.success).toBe(true);
    }
    const { setting, ...after } = await rowOfTable('users', { id: self.id });
    expect(after).toEqual(without(before, 'setting'));
    expect(setting).toBe('{}');
  });

  it('do not create a token for another user or one with a higher limit', async () => {
    const body = { ...GREEDY, name: 'greedy', group: '', remain_quota: 5 };
    const made = (await user.send('POST', '/api/token/', { body })).body.data;
    const { id } = made;
    const whose = { user_id: self.id, used_quota: 0, held: 0 };
    expect(await rowOfTable('tokens', { id })).toMatchObject({ ...whose, remain_quota: 5 });
    const before = await rowOfTable('tokens', { id });
    const edit = { ...GREEDY, id, group: '', remain_quota: 5, name: 'greedy', key: 'sk-mine' };
    expect((await user.send('PUT', '/api/token/', { body: edit })).body.success).toBe(true);
    expect(await rowOfTable('tokens', { id })).toEqual(before);
  });

  it('do not change the usage of a channel or a redemption code', async () => {
    const { id } = site.channel;
    const before = await rowOfTable('channels', { id });
    const fields = without(GREEDY, 'group', 'status');
    const edited = await admin.send('PUT', '/api/channel/', {
      body: { ...fields, id, name: before.name },
    });
    expect(edited.body.success).toBe(true);
    expect(await rowOfTable('channels', { id })).toEqual(before);
    const body = { ...GREEDY, name: 'code', quota: 7, key: 'code-of-mine', status: 3 };
    await admin.send('POST', '/api/redemption/', { body });
    expect(await rowOfTable('redemptions', { key: 'code-of-mine' })).toMatchObject({
      status: 1,
      used_user_id: 0,
      used_count: 0,
    });
  });

  it('do not change protected fields of an account that an admin edits', async () => {
    const { id } = await site.addUser();
    const before = await rowOfTable('users', { id });
    const fields = without(GREEDY, 'role', 'group', 'quota', 'github_id', 'oidc_id');
    const reply = await admin.send('PUT', '/api/user/', { body: { ...fields, id, role: 1 } });
    expect(reply.body.success).toBe(true);
    expect(await rowOfTable('users', { id })).toEqual(before);
  });
});

function without(fields: object, ...names: string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
