/** The language that a user chose, which is among the settings of the account. */
import type { Context } from '../../context.ts';
import { isLanguage, type Language, readerLanguage } from '../../domain/languages.ts';
import { parsedObject } from '../../json/parse-json-object.ts';

/** @param setting `users.setting`. */
export function accountLanguage(setting: string): Language | undefined {
  if (!setting.includes('"language"')) return undefined;
  const { language } = parsedObject(setting);
  return isLanguage(language) ? language : undefined;
}

/** The settings with another language; null deletes the choice. */
export function settingWithLanguage(setting: string, chosen: Language | null): string {
  if ((accountLanguage(setting) ?? null) === chosen) return setting;
  const { language: _, ...others } = parsedObject(setting);
  return JSON.stringify(chosen === null ? others : { ...others, language: chosen });
}

/** The language of a mail or notification to this user. `accepted` is that of a request for it. */
export function mailLanguage(
  ctx: Pick<Context, 'options'>,
  { setting }: { readonly setting: string },
  accepted?: Language,
): Language {
  const site = ctx.options().get('DefaultLanguage');
  return readerLanguage({ account: accountLanguage(setting), accepted, site });
}
