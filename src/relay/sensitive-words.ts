/**
 * The operator's word list. Plain words go through one automaton; `regex:` lines are compiled by a
 * linear-time engine, so that no pattern and no text can stall the process. Compiled once per list.
 */
import { RE2JS } from 're2js';
import { buildWordAutomaton, type WordAutomaton } from '../domain/word-automaton.ts';
import type { Logger } from '../log.ts';

const REGEX_PREFIX = 'regex:';
/** Longer prompts are searched by words only: patterns cost more than one pass. */
const MAX_PATTERN_TEXT = 1_000_000;

export interface SensitiveWords {
  /** The word or pattern that a text contains, or undefined. */
  find(text: string): string | undefined;
}

export function compileWords(lines: readonly string[], log: Logger): SensitiveWords {
  const words = lines.filter((line) => line !== '' && !line.startsWith(REGEX_PREFIX));
  const automaton: WordAutomaton = buildWordAutomaton(words);
  const patterns = lines
    .filter((line) => line.startsWith(REGEX_PREFIX))
    .flatMap((line) => compilePattern(line.slice(REGEX_PREFIX.length), log));
  return {
    find(text) {
      const word = automaton.find(text);
      if (word !== undefined || patterns.length === 0 || text.length > MAX_PATTERN_TEXT)
        return word;
      const lower = text.toLowerCase();
      return patterns.find((pattern) => pattern.matcher(lower).find())?.pattern();
    },
  };
}

function compilePattern(source: string, log: Logger): RE2JS[] {
  try {
    return [RE2JS.compile(source)];
  } catch (error) {
    log.warn(
      { err: error, pattern: source },
      'a sensitive-word pattern cannot be compiled and is skipped',
    );
    return [];
  }
}

/** Every text of a request that a person wrote, for the word check. */
export function textsOf(body: Readonly<Record<string, unknown>>): string[] {
  const texts: string[] = [];
  for (const field of [
    'messages',
    'prompt',
    'input',
    'query',
    'documents',
    'system',
    'instructions',
    'contents',
    'systemInstruction',
    'system_instruction',
  ]) {
    collectTexts(body[field], texts, 0);
  }
  return texts;
}

const MAX_DEPTH = 8;

function collectTexts(value: unknown, into: string[], depth: number): void {
  if (typeof value === 'string') {
    if (value !== '' && !value.startsWith('data:')) into.push(value);
    return;
  }
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, into, depth + 1);
    return;
  }
  const part = value as Readonly<Record<string, unknown>>; // an object of parsed JSON
  for (const field of ['content', 'text', 'input_text', 'parts']) {
    if (field in part) collectTexts(part[field], into, depth + 1);
  }
}
