/** The language that the reader chooses applies to this browser and to the account's mails. */
import { isLanguage } from '../../../../src/domain/languages.ts';
import { parsedObject } from '../../../../src/json/parse-json-object.ts';
import { storedUser } from '../session/session.ts';
import { chooseLanguage, type Language } from '../text/texts.ts';

export function chooseOwnLanguage(language: Language): void {
  chooseLanguage(language);
  // The browser's choice holds even if the account could not be changed, as in demo mode.
  if (storedUser()) void saveLanguage(language).catch(() => undefined);
}

async function saveLanguage(language: Language): Promise<void> {
  const { account } = await import('./account.ts');
  await account.changeSetting({ language });
}

/** After sign-in, so that the console and the messages of the server have the same language. */
export async function adoptAccountLanguage(): Promise<void> {
  const { account } = await import('./account.ts');
  const { language } = parsedObject((await account.self({})).setting);
  if (isLanguage(language)) chooseLanguage(language);
}
