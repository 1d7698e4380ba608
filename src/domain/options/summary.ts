/** The localised description of an option. */
import { isLanguage, type Language } from '../languages.ts';
import { type OptionKey, optionRowOf } from './registry.ts';
import { CHINESE_SUMMARIES } from './summaries-zh.ts';

/** English is in the rows of the options. */
const TRANSLATED: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<OptionKey, string>>>> = {
  zh: CHINESE_SUMMARIES,
};

/** @param language one without texts yields English. */
export function optionSummary(key: OptionKey, language: string): string {
  if (!isLanguage(language) || language === 'en') return optionRowOf(key).summary;
  return TRANSLATED[language][key];
}
