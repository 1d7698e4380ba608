/** The localised description of an option. */
import { type OptionKey, optionRowOf } from './registry.ts';
import { CHINESE_SUMMARIES } from './summaries-zh.ts';

/** @param language `zh` or `en`; any other yields English. */
export function optionSummary(key: OptionKey, language: string): string {
  return language === 'zh' ? CHINESE_SUMMARIES[key] : optionRowOf(key).summary;
}
