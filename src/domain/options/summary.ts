/** The localised description of an option. */
import { isLanguage, type Language } from '../languages.ts';
import type { OptionKey } from './registry.ts';
import { ENGLISH_SUMMARIES } from './summaries-en.ts';
import { CHINESE_SUMMARIES } from './summaries-zh.ts';

const SUMMARIES: Readonly<Record<Language, Readonly<Record<OptionKey, string>>>> = {
  en: ENGLISH_SUMMARIES,
  zh: CHINESE_SUMMARIES,
};

/** @param language one without texts yields English. */
export function optionSummary(key: OptionKey, language: string): string {
  return SUMMARIES[isLanguage(language) ? language : 'en'][key];
}
