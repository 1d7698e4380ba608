import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonParts } from '../../../src/domain/token-count/json-parts.ts';

const valuesOf = (text: string) => jsonParts(text).map(({ value }) => value);

describe('the parts of a JSON text', () => {
  test('are the members of the object and the elements of its lists', () => {
    const text = '{"model":"m", "messages":[{"a":[1,2]},{"b":{"c":"d"}}],"stop":{"x":[1,2],"y":3}}';
    expect(valuesOf(text)).toEqual([
      '',
      '"model":"m"',
      '"messages":',
      '{"a":[1,2]}',
      '{"b":{"c":"d"}}',
      '',
      '"stop":{"x":[1,2],"y":3}',
    ]);
  });

  test('are the same in a longer conversation', () => {
    const short = valuesOf('{"messages":[{"a":1},{"b":2}],"model":"m"}');
    const long = valuesOf('{"messages":[{"a":1},{"b":2},{"c":3}],"model":"m"}');
    for (const value of short) expect(long).toContain(value);
  });

  test('are not divided inside strings', () => {
    expect(valuesOf('{"a":"x,\\"[y],\\\\","b":["}"]}')).toContain('"a":"x,\\"[y],\\\\"');
  });

  test('together are the text, whatever it is', () => {
    const joined = (text: string) =>
      jsonParts(text)
        .map((part) => part.text)
        .join('');
    fc.assert(fc.property(fc.json({ maxDepth: 4 }), (text) => joined(text) === text));
    const piece = fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ' ', 'a');
    fc.assert(fc.property(fc.string({ unit: piece }), (text) => joined(text) === text));
  });

  test('are one where there would be thousands', () => {
    const text = JSON.stringify({ messages: Array(3_000).fill('x') });
    expect(jsonParts(text)).toEqual([{ text, value: text }]);
  });
});
