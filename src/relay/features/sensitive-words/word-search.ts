/**
 * Matches texts against the operator's word list. Plain words are searched with one automaton;
 * `regex:` lines are compiled by a linear-time engine, so that no pattern or text can block the
 * process. Compiled once per list.
 */
import { RE2JS } from 're2js';
import type { Awaitable } from '../../../domain/awaitable.ts';
import { buildWordAutomaton, type WordAutomaton } from '../../../domain/text/word-automaton.ts';
import type { Logger } from '../../../log.ts';
import { Slices } from '../../body/event-loop-slices.ts';

const REGEX_PREFIX = 'regex:';
/** Characters searched at once: for words, and for patterns, which take much longer. */
const WORD_PIECE_CHARS = 256 * 1024;
const PATTERN_PIECE_CHARS = 32 * 1024;
/** In a text of several pieces, a longer match that spans two pieces may be missed. */
const LONGEST_MATCH = 4 * 1024;

export interface WordSearch {
  /**
   * The word or pattern that one of the texts contains, or undefined. Long texts are searched in
   * slices.
   */
  find(texts: readonly string[]): Awaitable<string | undefined>;
}

export function compileWords(lines: readonly string[], log: Logger): WordSearch {
  const words = lines.filter((line) => line !== '' && !line.startsWith(REGEX_PREFIX));
  const automaton: WordAutomaton = buildWordAutomaton(words);
  const longest = words.reduce((length, word) => Math.max(length, word.toLowerCase().length), 0);
  const patterns = lines
    .filter((line) => line.startsWith(REGEX_PREFIX))
    .flatMap((line) => compilePattern(line.slice(REGEX_PREFIX.length), log));
  return {
    // Short texts, which nearly all prompts are, are searched at once.
    find(texts) {
      const chars = texts.reduce((sum, { length }) => sum + length, 0);
      if (chars > PATTERN_PIECE_CHARS) return findInSlices(texts);
      for (const text of texts) {
        const found = automaton.find(text);
        if (found !== undefined) return found;
        const matched =
          patterns.length > 0 ? findMatch(patterns, text.toLowerCase(), 0) : undefined;
        if (matched !== undefined) return matched;
      }
      return undefined;
    },
  };

  async function findInSlices(texts: readonly string[]): Promise<string | undefined> {
    const slices = new Slices();
    for (const text of texts) {
      const found = (await wordIn(text, slices)) ?? (await patternIn(patterns, text, slices));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async function wordIn(text: string, slices: Slices): Promise<string | undefined> {
    for (const { piece } of piecesOf(text, WORD_PIECE_CHARS, longest)) {
      if (slices.isOver) await slices.next();
      const word = automaton.find(piece);
      if (word !== undefined) return word;
    }
    return undefined;
  }
}

async function patternIn(
  patterns: readonly RE2JS[],
  text: string,
  slices: Slices,
): Promise<string | undefined> {
  if (patterns.length === 0) return undefined;
  for (const { piece, before, isLast } of piecesOf(text, PATTERN_PIECE_CHARS, LONGEST_MATCH)) {
    // Appended to all pieces but the last, so that `$` does not match at their end.
    const lower = piece.toLowerCase() + (isLast ? '' : '\0');
    for (const pattern of patterns) {
      if (slices.isOver) await slices.next();
      if (findMatch([pattern], lower, before) !== undefined) return pattern.pattern();
    }
  }
  return undefined;
}

/** The first pattern that matches from character `start` on. */
function findMatch(patterns: readonly RE2JS[], text: string, start: number): string | undefined {
  return patterns.find((pattern) => pattern.matcher(text).find(start))?.pattern();
}

interface Piece {
  readonly piece: string;
  /** Characters from the piece before, so that `^` and `\b` do not match at the piece's start. */
  readonly before: number;
  readonly isLast: boolean;
}

/** Overlapping pieces, so that a match of up to `overlap` characters is never split. */
function* piecesOf(text: string, length: number, overlap: number): Generator<Piece> {
  for (let at = 0; ; at += length) {
    const before = Math.min(at, 1);
    const end = at + length + overlap;
    const isLast = end >= text.length;
    yield { piece: text.slice(at - before, end), before, isLast };
    if (isLast) return;
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
