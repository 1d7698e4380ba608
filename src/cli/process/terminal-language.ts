/** Determines the language of the terminal's user. */
import { isLanguage, type Language } from '../../domain/languages.ts';
import type { Environment } from './process-io.ts';

/**
 * `GATEWAY_LANG` first, then the locale in POSIX order (XBD 8.2): the first one set decides.
 * English if its language has no texts.
 */
export function languageOf(env: Environment): Language {
  const { GATEWAY_LANG, LC_ALL, LC_MESSAGES, LANG } = env;
  const locale = GATEWAY_LANG || LC_ALL || LC_MESSAGES || LANG || '';
  const [language] = locale.toLowerCase().split(/[^a-z]/);
  return isLanguage(language) ? language : 'en';
}
