/** A local site that really sends mail, and access to the received mails. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { Engine } from '../../src/store/connection/engine.ts';
import { type LocalSite, OPERATOR } from './local-site.ts';
import { aMailServer, type MailServer, mailOptions, type ReceivedLetter } from './mail-server.ts';
import { sharedLocalSite } from './shared-site.ts';
import { CA_FILE } from './tls.ts';

export interface MailSite {
  readonly site: LocalSite;
  readonly mail: MailServer;
  /** Waits for the newest mail to an address and returns it. */
  letterTo(address: string): Promise<ReceivedLetter>;
}

/** For all tests of a file or a `describe`, after which both are closed. */
export async function sharedMailSite(kind: Engine = 'sqlite'): Promise<MailSite> {
  const mail = await aMailServer();
  afterAll(() => mail.close());
  const site = await sharedLocalSite(kind, { caFile: CA_FILE });
  const { option } = site.as(OPERATOR);
  const settings = {
    ...mailOptions(mail),
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
  };
}

/** Returns the six-digit code in a mail. */
export function codeIn(letter: ReceivedLetter): string {
  return /\b\d{6}\b/.exec(letter.text)?.[0] ?? 'no code';
}
