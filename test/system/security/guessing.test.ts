/** Guessing accounts, passwords and codes. */
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ScryptCost } from '../../../src/services/credentials/password-thread/protocol.ts';
import { hashPassword } from '../../../src/services/credentials/passwords.ts';
import { apiClient } from '../../support/api-client.ts';
import { aMailServer, MAIL_ACCOUNT, mailOptions } from '../../support/mail-server.ts';
import { PASSWORD_COST } from '../../support/password-cost.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, OPERATOR, type Site } from '../../support/site.ts';
import { CA_FILE } from '../../support/tls.ts';
import { ways } from './ways.ts';

const PASSWORD = 'a long password';
const FREE = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };

const mail = await aMailServer();
const options = mailOptions(mail);
const site = await sharedSite({ config: { ...FREE, caFile: CA_FILE }, options });
const hash = await hashPassword(PASSWORD);
afterAll(() => mail.close());

/** The costs of the password hashings during `work`, which dominate the response time. */
async function derivations(work: () => Promise<unknown>): Promise<ScryptCost[]> {
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  await work();
  const works = posted.mock.calls.map(([message]) => message?.job);
  posted.mockRestore();
  return works.filter((work) => work?.kind === 'scrypt').map(({ cost }) => cost);
}

const login = (username: string, password: string, on: Site = site) =>
  apiClient(on).send('POST', '/api/user/login', { body: { username, password } });

describe('sign-in', () => {
  it('gives the same response after the same work for existing and unknown accounts', async () => {
    await site.addUser({ username: 'known', email: 'known@x.example', password: hash });
    await site.addUser({ username: 'nopass' });
    const banned = await site.addUser({ username: 'banned', password: hash });
    const closed = await site.addUser({ username: 'closed', password: hash });
    const { user } = site.as(OPERATOR);
    await user.manage({ id: banned.id, action: 'disable' });
    await user.remove({ id: closed.id });
    const answers: string[] = [];
    for (const [name, password] of [
      ['known', 'wrong password'],
      ['known@x.example', 'wrong password'],
      ['nobody', 'wrong password'],
      ['unknown@x.example', 'wrong password'],
      ['nopass', 'wrong password'],
      ['nopass', ''.padEnd(1)],
      ['banned', PASSWORD],
      ['closed', PASSWORD],
    ] as const) {
      const work = await derivations(async () => {
        const replies = await login(name, password);
        const { 'x-request-id': _, date: __, ...headers } = replies.headers;
        answers.push(JSON.stringify([replies.status, replies.text, headers]));
      });
      expect([name, work]).toEqual([name, [PASSWORD_COST]]);
    }
    expect(new Set(answers).size).toBe(1);
  });

  it('is locked after ten wrong passwords, for unknown names too', async () => {
    for (const name of ['known', 'nobody2']) {
      const codes: string[] = [];
      const replies = await Promise.all(
        Array.from({ length: 14 }, (_, n) => login(name, `wrong ${n}`)),
      );
      codes.push(...replies.map(({ body }) => body.code));
      // Fewer attempts remain for a name that was tried before.
      expect(codes.filter((code) => code === 'login_failed').length).toBeLessThanOrEqual(10);
      expect((await login(name, PASSWORD)).body.code).toBe('login_limited');
    }
  });
});

describe('password reset link', () => {
  const send = (email: string) =>
    apiClient(site).send('GET', '/api/reset_password', { query: { email } });

  it('requests get the same response for known and unknown addresses', async () => {
    await site.addUser({ username: 'mailed', email: 'mailed@x.example', password: hash });
    const [known, unknown] = [await send('mailed@x.example'), await send('unknown@x.example')];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    // A repeated request within a minute gets the same response.
    expect((await send('mailed@x.example')).text).toBe(unknown.text);
  });

  it('with a wrong token gets the same response for any address, without hashing a password', async () => {
    const answers: string[] = [];
    for (const email of ['mailed@x.example', 'unknown@x.example']) {
      const body = { email, token: 'f'.repeat(32), password: 'another password' };
      const work = await derivations(async () => {
        answers.push((await apiClient(site).send('POST', '/api/user/reset', { body })).text);
      });
      expect(work).toEqual([]);
    }
    expect(answers[0]).toContain('reset_link_wrong');
    expect(new Set(answers).size).toBe(1);
  });
});

describe('registration', () => {
  it('with a wrong email code does not reveal whether the address is taken', async () => {
    const answers: string[] = [];
    for (const email of ['mailed@x.example', 'unknown@x.example']) {
      const body = { username: 'newcomer', password: PASSWORD, email, verification_code: '000000' };
      answers.push((await apiClient(site).send('POST', '/api/user/register', { body })).text);
    }
    expect(answers[0]).toContain('email_code_wrong');
    expect(new Set(answers).size).toBe(1);
  });
});

describe('unauthenticated writes', () => {
  /** Routes that are limited in other ways or harmless. */
  const UNLIMITED: Readonly<Record<string, string>> = {
    'setup.run': 'ten codes, then none is right',
    'account.logout': 'ends one’s own session',
    'wallet.notify': 'signed by the payment provider, whose addresses must not be locked out',
  };

  it.each(ways.filter(({ changes, call }) => changes && call.role === 0))(
    '$title counts towards the critical rate limit',
    ({ id, call }) => {
      expect([id, call.critical === true]).toEqual([id, !(id in UNLIMITED)]);
    },
  );

  it('share one rate limit per address', async () => {
    const narrow = await aSite({
      config: { criticalRateLimit: 5, apiRateLimitEnabled: false },
      options: { SMTPServer: 'localhost', SMTPAccount: MAIL_ACCOUNT.user },
    });
    const guest = apiClient(narrow);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const body = { username: `guess${n}`, password: 'wrong password' };
      statuses.push((await guest.send('POST', '/api/user/login', { body })).status);
      const query = { email: `guess${n}@x.example` };
      statuses.push((await guest.send('GET', '/api/reset_password', { query })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    await narrow.close();
  });
});

describe('one-time code', () => {
  it('for set-up is required for every Host header, localhost included', async () => {
    const fresh = await aSite({ config: FREE });
    const { port } = new URL(fresh.url);
    const body = { username: 'mallory', password: PASSWORD, confirmPassword: PASSWORD };
    for (const host of [
      `rebound.example:${port}`,
      `127.0.0.1.nip.example:${port}`,
      'localhost.evil',
      `localhost:${port}`,
      `[::1]:${port}`,
      `127.0.0.1:${port}`,
    ]) {
      const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
      const replies = await apiClient(fresh).send('POST', '/api/setup', { body, headers });
      expect([host, replies.body.code]).toEqual([host, 'setup_code_wrong']);
    }
    await fresh.close();
  });
});
