import { afterEach, describe, expect, it } from 'vitest';
import { sendMail } from '../../../src/services/messaging/mail.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { createLocalSite, OPERATOR } from '../../support/local-site.ts';
import { aMailServer, MAIL_ACCOUNT, type MailServer } from '../../support/mail-server.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';

const site = await sharedLocalSite('sqlite', { caFile: CA_FILE });
const servers: MailServer[] = [];

afterEach(async () => {
  site.ctx.mailer.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function mailServer(...[options]: Parameters<typeof aMailServer>): Promise<MailServer> {
  const server = await aMailServer(options);
  servers.push(server);
  return server;
}

/** `localhost` as in the certificate. */
async function use(options: Readonly<Record<string, string | number | boolean>>): Promise<void> {
  const all = {
    SMTPServer: 'localhost',
    SMTPSSLEnabled: false,
    SMTPAccount: MAIL_ACCOUNT.user,
    SMTPFrom: '',
    SystemName: 'A Site',
    ...options,
  };
  const { option } = site.as(OPERATOR);
  await option.unset({ key: 'SMTPToken' });
  for (const [key, value] of Object.entries(all)) await option.set({ key, value });
}

const LETTER = { to: 'ann@mail.example', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' };
const send = (fields: Partial<typeof LETTER> = {}) => sendMail(site.ctx, { ...LETTER, ...fields });

describe('an email message', () => {
  it('is not sent without a configured server', async () => {
    await use({ SMTPServer: '' });
    await expectRefusal(send(), 'mail_not_configured');
  });

  it('has sender, subject, text and HTML', async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port, SMTPToken: MAIL_ACCOUNT.password });
    await send({ subject: '您的验证码 🙂', html: '<p>码：<b>123456</b></p>', text: '码：123456' });
    const [letter] = server.letters;
    expect(letter).toMatchObject({
      from: MAIL_ACCOUNT.user,
      to: ['ann@mail.example'],
      account: MAIL_ACCOUNT.user,
      isSecure: true,
      subject: '您的验证码 🙂',
      text: '码：123456',
      html: '<p>码：<b>123456</b></p>',
    });
    expect(letter?.headers).toContain(`From: A Site <${MAIL_ACCOUNT.user}>`);
    expect(letter?.headers.join('\n')).toMatch(/^Message-ID: <[0-9a-f]{32}@site\.example>$/m);
  });

  it('names a TLS switch that does not fit the port, without the words of OpenSSL', async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port, SMTPSSLEnabled: true });
    const refused = { code: 'mail_failed', params: { reason: 'mail_tls_differs' } };
    await expect(send()).rejects.toMatchObject(refused);
    await expect(
      site.as(OPERATOR).notice.testMail({ email: 'ann@mail.example' }),
    ).rejects.toMatchObject(refused);
  });

  it('is not sent to an address that needs SMTPUTF8', async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port });
    await expectRefusal(send({ to: 'jörg@mail.example' }), 'input_invalid', {
      params: { reason: 'receiver_not_ascii' },
    });
    await send({ to: 'ann@bücher.example' });
    expect(server.letters.map(({ to }) => to)).toEqual([['ann@bücher.example']]);
  });

  it('is sent to several receivers, from the configured address', async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port, SMTPFrom: 'noreply@other.example' });
    await send({ to: 'ann@mail.example; bob@mail.example;' });
    expect(server.letters[0]).toMatchObject({
      from: 'noreply@other.example',
      to: ['ann@mail.example', 'bob@mail.example'],
    });
  });

  it.each([
    ['to', 'ann@mail.example\r\nBcc: all@mail.example'],
    ['to', 'ann@mail.example\nRCPT TO:<x@y.example>'],
    ['to', 'ann@mail.example,bob@mail.example'],
    ['to', 'Ann <ann@mail.example>'],
    ['to', 'ann'],
    ['to', ' ; '],
    ['subject', 'Hello\r\nBcc: all@mail.example'],
    ['subject', 'Hello\nX: y'],
  ])('whose %s is %j is refused before the server is contacted', async (field, text) => {
    const server = await mailServer();
    await use({ SMTPPort: server.port });
    await expectRefusal(send({ [field]: text }), 'input_invalid', { param: field });
    expect(server.connections()).toBe(0);
  });

  it("keeps the site's name inside its header", async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port, SystemName: 'A <evil@x.example>, "Site"' });
    await send();
    expect(server.letters[0]?.from).toBe(MAIL_ACCOUNT.user);
    expect(server.letters[0]?.headers.join('\n')).toContain(`<${MAIL_ACCOUNT.user}>`);
  });
});

describe('the SMTP connection', () => {
  it('uses TLS from the first byte when configured', async () => {
    const server = await mailServer({ secure: true });
    await use({ SMTPPort: server.port, SMTPSSLEnabled: true, SMTPToken: MAIL_ACCOUNT.password });
    await send();
    expect(server.letters[0]).toMatchObject({ isSecure: true, account: MAIL_ACCOUNT.user });
  });

  it('uses STARTTLS if the server offers it, and plain text if it does not', async () => {
    const offering = await mailServer();
    await use({ SMTPPort: offering.port });
    await send();
    expect(offering.letters[0]?.isSecure).toBe(true);
    const plain = await mailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
    await use({ SMTPPort: plain.port });
    await send();
    expect(plain.letters[0]?.isSecure).toBe(false);
  });

  it('is refused for a certificate of an unknown authority or another host', async () => {
    const other = await createLocalSite();
    const stranger = { ...site.ctx, config: other.ctx.config };
    for (const secure of [true, false]) {
      const server = await mailServer({ secure });
      await use({ SMTPPort: server.port, SMTPSSLEnabled: secure });
      await expectRefusal(sendMail(stranger, LETTER), 'mail_failed');
      expect(server.letters).toHaveLength(0);
      await send();
      expect(server.letters).toHaveLength(1);
    }
    await other.close();
  });

  it('is reused for the next mail and reopened when the settings change', async () => {
    const first = await mailServer();
    await use({ SMTPPort: first.port });
    await send();
    await send();
    expect([first.letters.length, first.connections()]).toEqual([2, 1]);
    const second = await mailServer();
    await use({ SMTPPort: second.port });
    await send();
    expect([first.letters.length, second.letters.length]).toEqual([2, 1]);
  });

  it('is replaced after it ended', async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port });
    await send();
    await server.hangUp();
    await send();
    expect(server.letters).toHaveLength(2);
  });
});

describe('SMTP authentication', () => {
  it('uses PLAIN, or LOGIN for servers that refuse PLAIN', async () => {
    const server = await mailServer();
    const login = { SMTPPort: server.port, SMTPToken: MAIL_ACCOUNT.password };
    await use(login);
    await send();
    await use({ ...login, SMTPAccount: 'robot@outlook.com' });
    await expectRefusal(send(), 'mail_failed');
    await use({ ...login, SMTPAccount: 'robot@site.onmicrosoft.com' });
    await expectRefusal(send(), 'mail_failed');
    expect(server.methods).toEqual(['PLAIN', 'LOGIN', 'LOGIN']);
  });

  it("reports a failure without the server's message", async () => {
    const server = await mailServer();
    await use({ SMTPPort: server.port, SMTPToken: 'wrong' });
    await expectRefusal(send(), 'mail_failed', {
      params: { problem: 'the mail server refused the account' },
    });
    expect(server.letters).toHaveLength(0);
  });
});

describe('an SMTP server', () => {
  it('that refuses the receiver makes the mail fail', async () => {
    const server = await mailServer({
      onRcptTo: (_address, _session, done) => done(new Error('no such user here')),
    });
    await use({ SMTPPort: server.port });
    await expectRefusal(send(), 'mail_failed', {
      params: { problem: 'the mail server refused the sender or the receiver' },
    });
  });

  it('that is unreachable makes the mail fail', async () => {
    const server = await aMailServer();
    await server.close();
    await use({ SMTPPort: server.port });
    await expectRefusal(send(), 'mail_failed');
  });
});
