import { describe, expect, it } from 'vitest';
import {
  CHANNEL_TYPE_LIST,
  channelTypeName,
  channelTypeOf,
} from '../../../src/domain/channels/channel-types.ts';

/** Numbers used in existing installations; 28 to 30 and 32 were never assigned. */
const INHERITED = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
  31, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
];

describe('channel types', () => {
  it('cover every inherited number; new types begin at 1001', () => {
    const numbers = CHANNEL_TYPE_LIST.map(({ type }) => type);
    expect(numbers.filter((type) => type < 1001)).toEqual(INHERITED);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it('have unique words: no slug, name or alias means two types', () => {
    const words = CHANNEL_TYPE_LIST.flatMap(({ type, name, slug, aliases }) =>
      [...new Set([name.toLowerCase(), slug, ...(aliases ?? [])])].map((word) => [word, type]),
    );
    expect(new Set(words.map(([word]) => word)).size).toBe(words.length);
  });

  it('have slugs that need no shell quoting and are not numbers', () => {
    const odd = CHANNEL_TYPE_LIST.filter(({ slug }) => !/^(?=.*[a-z])[a-z0-9-]+$/.test(slug));
    expect(odd).toEqual([]);
  });

  it.each([
    ['openai', 1],
    ['azure', 3],
    ['ollama', 4],
    ['Anthropic', 14],
    ['claude', 14],
    ['gemini', 24],
    ['deepseek', 43],
    ['43', 43],
    [43, 43],
    ['GitHub Models', 49],
    ['groq', 1001],
  ])('%j is type %d', (input, type) => {
    expect(channelTypeOf(input)?.type).toBe(type);
  });

  it.each(['', 'nothing', '0', '-1', '1.0', 28, 0, 1.5])('%j is not a type', (input) => {
    expect(channelTypeOf(input)).toBeUndefined();
  });

  it('are shown by name, or by number when unknown', () => {
    expect(channelTypeName(40)).toBe('SiliconCloud');
    expect(channelTypeName(77)).toBe('type 77');
  });
});
