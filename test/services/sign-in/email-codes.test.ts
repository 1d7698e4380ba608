import { describe, expect, it } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { verifyPassword } from '../../../src/services/credentials/passwords.ts';
import { account } from '../../../src/services/sign-in/account-calls.ts';
import { passwordHashOf, userByEmail, userById } from '../../../src/store/tables/users-table.ts';
import { codeIn, sharedMailSite } from '../../support/account-mail.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import type { ReceivedLetter } from '../../support/mail-server.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const GUEST = { kind: 'user', id: 0, role: 0, group: '' } as const;

/** The parameters of the link in a mail. */
function linkIn(letter: ReceivedLetter): { email: string; token: string } {
  const link = new URL(/https:\S+/.exec(letter.text)?.[0] ?? 'https://none');
  expect(link.origin + link.pathname).toBe('https://gateway.example/user/reset');
  const { email = '', token = '' } = Object.fromEntries(link.searchParams);
  return { email, token };
}

describe.each(databases)('email codes on $kind', async ({ kind }) => {
  const mailed = await sharedMailSite(kind);
  const { site } = mailed;

  const send = (email: string) => site.as(GUEST).account.sendCode({ email });

  it('bind an address to the account that enters the code, ignoring letter case', async () => {
    const { actor } = await site.aUser();
    await send('New.One@x.org');
    const letter = await mailed.letterTo('New.One@x.org');
    expect(letter.subject).toBe('A <Site>: your code');
    expect(letter.html).toContain('A &lt;Site&gt;');
    const code = codeIn(letter);
    await site.as(actor).account.bindEmail({ email: 'new.one@X.org', code });
    expect(await site.as(actor).account.self({})).toMatchObject({ email: 'new.one@X.org' });
    expect(await userByEmail(site.ctx.db, 'NEW.ONE@x.org')).toMatchObject({ id: actor.id });
  });

  it('work once, for the first user', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, () => site.aUser()));
    await send('race@x.org');
    const code = codeIn(await mailed.letterTo('race@x.org'));
    const outcomes = await Promise.allSettled(
      users.map(({ actor }) => site.as(actor).account.bindEmail({ email: 'race@x.org', code })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('allow five attempts in all, even concurrent ones', async () => {
    const { actor } = await site.aUser();
    await send('guess@x.org');
    const right = codeIn(await mailed.letterTo('guess@x.org'));
    const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0');
    const bind = (code: string) => site.as(actor).account.bindEmail({ email: 'guess@x.org', code });
    for (const outcome of await Promise.allSettled(Array.from({ length: 5 }, () => bind(wrong))))
      expect(outcome).toMatchObject({ reason: { code: 'email_code_wrong' } });
    await expectRefusal(bind(right), 'email_code_wrong');
  });

  it('are sent once in 30 seconds to an address, even for concurrent requests', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => send('often@x.org')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expectRefusal(send('OFTEN@x.org'), 'email_code_wait');
    site.pass(29);
    await expectRefusal(send('often@x.org'), 'email_code_wait');
    site.pass(1);
    await send('often@x.org');
    expect(mailed.mail.letters.filter(({ to }) => to.includes('often@x.org'))).toHaveLength(2);
  });

  it('are replaced by a newer code', async () => {
    const { actor } = await site.aUser();
    await send('newer@x.org');
    const first = codeIn(await mailed.letterTo('newer@x.org'));
    site.pass(60);
    await send('newer@x.org');
    const second = codeIn(await mailed.letterTo('newer@x.org'));
    const bind = (code: string) => site.as(actor).account.bindEmail({ email: 'newer@x.org', code });
    if (first !== second) await expectRefusal(bind(first), 'email_code_wrong');
    await bind(second);
  });

  it('reset a password once through a link, and end every session', async () => {
    const { id } = await site.aUser({ email: `lost+1&2@${kind}.org` });
    await site.as(GUEST).account.requestReset({ email: `LOST+1&2@${kind}.org` });
    const link = linkIn(await mailed.letterTo(`lost+1&2@${kind}.org`));
    expect(link.token).toMatch(/^[0-9a-f]{32}$/);
    const reset = () => site.as(GUEST).account.resetPassword(link);
    const outcomes = await Promise.allSettled([reset(), reset(), reset()]);
    const made = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(made).toHaveLength(1);
    const password = made[0]?.value ?? '';
    expect(password).toMatch(/^\w{12}$/);
    expect(await verifyPassword(await passwordHashOf(site.ctx.db, id), password)).toBe('right');
    expect(await userById(site.ctx.db, id)).toMatchObject({ session_version: 2 });
    await expectRefusal(reset(), 'reset_link_wrong');
  });
});

describe('an email code', async () => {
  const mailed = await sharedMailSite();
  const { site } = mailed;

  const send = (email: string) => site.as(GUEST).account.sendCode({ email });
  const option = (key: string, value: string | boolean) =>
    site.as(OPERATOR).option.set({ key, value });

  it('is stored as a hash', async () => {
    await send('hash@x.org');
    const code = codeIn(await mailed.letterTo('hash@x.org'));
    const row = await site.ctx.db('one_time_codes').where({ address: 'hash@x.org' }).first();
    expect(JSON.stringify(row)).not.toContain(code);
  });

  it('expires after three minutes', async () => {
    const { actor } = await site.aUser();
    const bind = async (email: string, seconds: number) => {
      await send(email);
      const code = codeIn(await mailed.letterTo(email));
      site.pass(seconds);
      await site.as(actor).account.bindEmail({ email, code });
    };
    await bind('early@x.org', 179);
    await expectRefusal(bind('late@x.org', 180), 'email_code_wrong');
  });

  it("is sent in the visitor's language", async () => {
    await account.sendCode(site.ctx, GUEST, { email: 'zh@x.org' }, terminalVisit('zh'));
    expect((await mailed.letterTo('zh@x.org')).subject).toBe('A <Site>：您的验证码');
  });

  it('is sent only to exactly matching allowed domains when restricted', async () => {
    await option('EmailDomainWhitelist', 'x.org,y.org');
    await option('EmailDomainRestrictionEnabled', true);
    await expectRefusal(send('a@sub.x.org'), 'email_domain_denied');
    await send('domain@Y.org');
    await option('EmailDomainRestrictionEnabled', false);
  });

  it('is not sent to aliases while those are refused', async () => {
    await option('EmailAliasRestrictionEnabled', true);
    for (const email of ['a+b@x.org', 'a.b@x.org'])
      await expectRefusal(send(email), 'email_alias_denied');
    await send('alias@x.org');
    await option('EmailAliasRestrictionEnabled', false);
  });

  it.each(['', 'anonymous', 'a@b@c', 'a;b@x.org', 'a@x.org\r\nbcc: c@d.org', '<a@x.org>'])(
    'is not sent to %j',
    async (email) => {
      await expectRefusal(send(email), 'input_invalid');
    },
  );

  it('is not sent to an address of another account', async () => {
    await site.aUser({ email: 'mine@x.org' });
    await expectRefusal(send('MINE@x.org'), 'email_taken');
  });

  it('that could not be sent may be requested again immediately', async () => {
    await option('SMTPServer', '');
    await expectRefusal(send('later@x.org'), 'mail_not_configured');
    await option('SMTPServer', 'localhost');
    await send('later@x.org');
  });

  it('in a reset link is refused for every address while no mail server is set', async () => {
    await option('SMTPServer', '');
    for (const email of ['ann@x.example', 'unknown@x.example'])
      await expectRefusal(site.as(GUEST).account.requestReset({ email }), 'mail_not_configured');
    await option('SMTPServer', 'localhost');
  });

  it('in a reset link expires after ten minutes, and accepts a password the user chooses', async () => {
    const { id } = await site.aUser({ email: 'own@x.org' });
    await site.as(GUEST).account.requestReset({ email: 'own@x.org' });
    const link = linkIn(await mailed.letterTo('own@x.org'));
    const reset = () =>
      site.as(GUEST).account.resetPassword({ ...link, password: 'my own choice' });
    site.pass(599);
    expect(await reset()).toBe('');
    expect(await verifyPassword(await passwordHashOf(site.ctx.db, id), 'my own choice')).toBe(
      'right',
    );
    await site.aUser({ email: 'slow@x.org' });
    await site.as(GUEST).account.requestReset({ email: 'slow@x.org' });
    const late = linkIn(await mailed.letterTo('slow@x.org'));
    site.pass(600);
    await expectRefusal(site.as(GUEST).account.resetPassword(late), 'reset_link_wrong');
  });

  it('of one purpose does not work for the other', async () => {
    await site.aUser({ email: 'purpose@x.org' });
    await site.as(GUEST).account.requestReset({ email: 'purpose@x.org' });
    const { email, token } = linkIn(await mailed.letterTo('purpose@x.org'));
    const { actor } = await site.aUser();
    await expectRefusal(
      site.as(actor).account.bindEmail({ email, code: token }),
      'email_code_wrong',
    );
  });

  it('is never mailed to unknown, banned and closed accounts, whose reset response is the same', async () => {
    const banned = await site.aUser({ email: 'banned@x.org' });
    await site.as(OPERATOR).user.manage({ id: banned.id, action: 'disable' });
    const closed = await site.aUser({ email: 'closed@x.org' });
    await site.as(OPERATOR).user.remove({ id: closed.id });
    const before = mailed.mail.letters.length;
    for (const email of ['nobody@x.org', 'banned@x.org', 'closed@x.org'])
      expect(await site.as(GUEST).account.requestReset({ email })).toBeUndefined();
    expect(mailed.mail.letters).toHaveLength(before);
  });

  it('is sent after the response, even if sending never finishes', async () => {
    await site.aUser({ email: 'visitor@x.org' });
    await site.aUser({ email: 'unlucky@x.org' });
    const visit = { ...terminalVisit(), via: 'anonymous' } as const;
    const requestReset = (email: string) => account.requestReset(site.ctx, GUEST, { email }, visit);
    await requestReset('visitor@x.org');
    expect(mailed.mail.letters.some(({ to }) => to.includes('visitor@x.org'))).toBe(false);
    await mailed.letterTo('visitor@x.org');
    const port = String(site.ctx.options().get('SMTPPort'));
    await option('SMTPPort', '1');
    await requestReset('unlucky@x.org');
    await option('SMTPPort', port);
  });
});

describe('a site without mail', async () => {
  const site = await sharedLocalSite();

  it('reports that mail is not configured', async () => {
    await expectRefusal(
      site.as(GUEST).account.sendCode({ email: 'ann@x.org' }),
      'mail_not_configured',
    );
  });
});
