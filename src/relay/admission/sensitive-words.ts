/**
 * The operator's word list. Plain words go through one automaton; `regex:` lines are compiled by a
 * linear-time engine, so that no pattern and no text can stall the process. Compiled once per list.
 */
import { RE2JS } from 're2js';
import { buildWordAutomaton, type WordAutomaton } from '../../domain/text/word-automaton.ts';
import type { Logger } from '../../log.ts';

import { Slices } from '../body/event-loop-slices.ts';

const REGEX_PREFIX = 'regex:';
/** Longer prompts are searched by words only: patterns cost more than one pass. */
const MAX_PATTERN_TEXT = 1_000_000;
/** Searched for words in one go. */
const PIECE_CHARS = 256 * 1024;

export interface SensitiveWords {
  /** The word or pattern that one of the texts contains, or undefined. Long texts are searched in slices. */
  find(texts: readonly string[]): Promise<string | undefined>;
}

export function compileWords(lines: readonly string[], log: Logger): SensitiveWords {
  const words = lines.filter((line) => line !== '' && !line.startsWith(REGEX_PREFIX));
  const automaton: WordAutomaton = buildWordAutomaton(words);
  const longest = words.reduce((length, word) => Math.max(length, word.toLowerCase().length), 0);
  const patterns = lines
    .filter((line) => line.startsWith(REGEX_PREFIX))
    .flatMap((line) => compilePattern(line.slice(REGEX_PREFIX.length), log));
  return {
    async find(texts) {
      let slices: Slices | undefined;
      let chars = 0;
      for (const { piece, whole } of piecesOf(texts, longest)) {
        // What is short altogether is searched at once, as nearly all prompts are.
        chars += piece.length;
        if (chars > PIECE_CHARS) slices ??= new Slices();
        if (slices?.isOver) await slices.next();
        const word = automaton.find(piece);
        if (word !== undefined) return word;
        const pattern = whole === undefined ? undefined : await match(patterns, whole, slices);
        if (pattern !== undefined) return pattern;
      }
      return undefined;
    },
  };
}

async function match(
  patterns: readonly RE2JS[],
  text: string,
  slices: Slices | undefined,
): Promise<string | undefined> {
  if (patterns.length === 0) return undefined;
  const lower = text.toLowerCase();
  for (const pattern of patterns) {
    if (slices?.isOver) await slices.next();
    if (pattern.matcher(lower).find()) return pattern.pattern();
  }
  return undefined;
}

interface Piece {
  readonly piece: string;
  /** With the last piece of a text, the text, unless it is too long for patterns. */
  readonly whole: string | undefined;
}

/** Pieces that overlap by the longest word, so that none is divided. */
function* piecesOf(texts: readonly string[], overlap: number): Generator<Piece> {
  for (const text of texts) {
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      const end = at + PIECE_CHARS + overlap;
      const isLast = at + PIECE_CHARS >= text.length;
      const whole = isLast && text.length <= MAX_PATTERN_TEXT ? text : undefined;
      yield { piece: text.slice(at, end), whole };
    }
  }
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
