/** Checks shared by several option rows. Each returns the problem, or undefined. */

import { parsedUrl } from '../addresses/parsed-url.ts';
import { addressOfList } from '../pricing/price-file/known-lists.ts';
import { type OptionProblem, optionProblem } from './problems.ts';

const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;
const IMAGE_ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;
const PATTERN_PREFIX = 'regex:';

/** Empty, or an absolute http(s) URL. */
export function webAddress(text: string): OptionProblem | undefined {
  if (text === '' || isWebAddress(text)) return undefined;
  return optionProblem('not_web_address');
}

/** Empty, or an http(s) URL to which a path can be appended. */
export function baseAddress(text: string): OptionProblem | undefined {
  return /[?#]/.test(text) ? optionProblem('has_query') : webAddress(text);
}

/** An address, or a list that is known by name. */
export function priceSource(text: string): OptionProblem | undefined {
  return addressOfList(text) === undefined ? webAddress(text) : undefined;
}

export function requiredWebAddress(text: string): OptionProblem | undefined {
  return text === '' ? optionProblem('required') : baseAddress(text);
}

/** A valid `src` of an image: a web address, a path of this site, or a data URL. */
export function imageLink(text: string): OptionProblem | undefined {
  if (text === '' || isWebAddress(text)) return undefined;
  if (/^\/(?![/\\])\S*$/.test(text) || /^data:image\/\S+$/i.test(text)) return undefined;
  return optionProblem('not_link');
}

/** Rejects a style sheet with a script tag, which would break out of its place in the page. */
export function styleSheet(text: string): OptionProblem | undefined {
  return /<\/?script/i.test(text) ? optionProblem('script_in_css') : undefined;
}

export function domainNames(items: readonly string[]): OptionProblem | undefined {
  const wrong = items.findIndex((item) => !DOMAIN.test(item));
  if (wrong >= 0) return optionProblem('not_domain', { item: wrong + 1 });
  const names = items.map((item) => item.toLowerCase());
  const again = names.findIndex((name, at) => names.indexOf(name) < at);
  return again < 0 ? undefined : optionProblem('listed_twice', { item: again + 1 });
}

/** `https://host` or `https://*.host`, with or without a port; a single `*` allows every site. */
export function imageOrigins(items: readonly string[]): OptionProblem | undefined {
  const wrong = items.findIndex((item) => item !== '*' && !IMAGE_ORIGIN.test(item));
  return wrong < 0 ? undefined : optionProblem('not_origin', { item: wrong + 1 });
}

/** Lines starting with `regex:` must be patterns the word check can run; all others are words. */
export function wordsAndPatterns(lines: readonly string[]): OptionProblem | undefined {
  const wrong = lines.findIndex(
    (line) => line.startsWith(PATTERN_PREFIX) && !isPattern(line.slice(PATTERN_PREFIX.length)),
  );
  return wrong < 0 ? undefined : optionProblem('bad_pattern', { item: wrong + 1 });
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/\s/.test(text) && parsedUrl(text) !== undefined;
}

/**
 * Whether a pattern fits RE2's syntax (https://github.com/google/re2/wiki/Syntax), which the word
 * check uses because it runs in linear time: no back-references and no look-around. The engine
 * itself is too large for the browser; patterns that pass here but fail in the engine are skipped
 * and logged.
 */
function isPattern(source: string): boolean {
  if (source === '' || /\\[1-9k]|\(\?<?[=!]/.test(source.replaceAll('\\\\', ''))) return false;
  const inJavaScript = source
    .replace(/\(\?P</g, '(?<')
    .replace(/\(\?[imsU]*-?[imsU]*(:|\))/g, (_, end: string) => `(?:${end === ')' ? ')' : ''}`);
  try {
    return new RegExp(inJavaScript) instanceof RegExp;
  } catch {
    // A pattern that does not compile is an expected result, not an error.
    return false;
  }
}
