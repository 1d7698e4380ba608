/** A local site that really sends mail, and access to the received mails. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../src/store/connection/engine.ts';
import { createLocalSite, type LocalSite, OPERATOR } from './local-site.ts';
import { aMailServer, MAIL_ACCOUNT, type MailServer, type ReceivedLetter } from './mail-server.ts';
import { CA_FILE } from './tls.ts';

export interface MailSite {
  readonly site: LocalSite;
  readonly mail: MailServer;
  /** Waits for the newest mail to an address and returns it. */
  letterTo(address: string): Promise<ReceivedLetter>;
  close(): Promise<void>;
}

export async function createMailSite(kind: Engine = 'sqlite'): Promise<MailSite> {
  const site = await createLocalSite(kind, { caFile: CA_FILE });
  const mail = await aMailServer();
  const { option } = site.as(OPERATOR);
  const settings = {
    SMTPServer: 'localhost',
    SMTPPort: mail.port,
    SMTPAccount: MAIL_ACCOUNT.user,
    SMTPToken: MAIL_ACCOUNT.password,
    SystemName: 'A <Site>',
    ServerAddress: 'https://gateway.example/',
  };
  for (const [key, value] of Object.entries(settings)) await option.set({ key, value });
  return {
    site,
    mail,
    async letterTo(address) {
      for (let tries = 0; tries < 500; tries += 1) {
        const letter = mail.letters.findLast(({ to }) => to.includes(address));
        if (letter !== undefined) return letter;
        await pause(10);
      }
      throw new Error(`no letter to ${address}`);
    },
    async close() {
      await site.close();
      await mail.close();
    },
  };
}

/** Returns the six-digit code in a mail. */
export function codeIn(letter: ReceivedLetter): string {
  return /\b\d{6}\b/.exec(letter.text)?.[0] ?? 'no code';
}
