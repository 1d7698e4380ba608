/** Determines the language of the terminal's user. */
import type { Language } from '../../locales/text.ts';
import type { Environment } from './process-io.ts';

/**
 * `GATEWAY_LANG` first, then the locale in POSIX order (XBD 8.2): the first one set decides.
 * Chinese if it starts with `zh`, else English.
 */
export function languageOf(env: Environment): Language {
  const { GATEWAY_LANG, LC_ALL, LC_MESSAGES, LANG } = env;
  const locale = GATEWAY_LANG || LC_ALL || LC_MESSAGES || LANG || '';
  return locale.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
