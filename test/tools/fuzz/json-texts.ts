/** JSON in any of its notations, with the depth to which it nests. */
import fc from 'fast-check';
import { anyText } from './pieces.ts';

const blank = fc.constantFrom('', '', ' ', '\n', '\t ', '\r\n  ');

/** A string literal in one of the notations that JSON allows. */
export const literal = fc.tuple(anyText, fc.nat()).map(([text, way]) => {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const written = units.map((unit, at) => {
    const character = String.fromCharCode(unit);
    const mustEscape = unit < 0x20 || character === '"' || character === '\\';
    const isHalf = unit >= 0xd800 && unit < 0xe000;
    if (mustEscape || isHalf || (way + at) % 5 === 0)
      return `\\u${unit.toString(16).padStart(4, '0')}`;
    return character === '/' && way % 2 === 0 ? '\\/' : character;
  });
  return `"${written.join('')}"`;
});

const number = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '-0',
    '1E400',
    '9007199254740993',
    '123456789012345678901234567890',
    '0.10',
    '1e+2',
  ),
);

/** Halves of surrogate pairs are one name to a reader that replaces them. */
const nameIn = ([name]: readonly [string, unknown]): string => JSON.parse(name).toWellFormed();

interface JsonText {
  readonly text: string;
  readonly depth: number;
}

export const { value } = fc.letrec<{ value: JsonText }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .oneof(literal, number, fc.constantFrom('null', 'true', 'false'))
      .map((text) => ({ text, depth: 0 })),
    fc.tuple(fc.array(tie('value'), { maxLength: 3 }), blank).map(([items, space]) => ({
      text: `[${space}${items.map((item) => item.text).join(`${space},`)}${space}]`,
      depth: 1 + Math.max(0, ...items.map((item) => item.depth)),
    })),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(literal, tie('value')), { maxLength: 3, selector: nameIn }),
        blank,
      )
      .map(([members, space]) => ({
        text: `{${members.map(([name, item]) => `${space}${name}${space}:${item.text}`).join(',')}${space}}`,
        depth: 1 + Math.max(0, ...members.map(([, item]) => item.depth)),
      })),
  ),
}));

interface Member {
  /** A literal. */
  readonly name: string;
  readonly value: JsonText;
  readonly before: string;
  readonly after: string;
}

export const memberOf = (
  name: fc.Arbitrary<string>,
  values: fc.Arbitrary<JsonText> = value,
): fc.Arbitrary<Member> => fc.record({ name, value: values, before: blank, after: blank });

export const textOf = (members: readonly Member[]): string =>
  ` {${members.map((one) => `${one.before}${one.name}${one.after}:${one.before}${one.value.text}${one.after}`).join(',')} } `;

/** Values longer than a slice of a large body: a text, a list or an object. */
export const longValue: fc.Arbitrary<JsonText> = fc
  .tuple(fc.constantFrom('text', 'list', 'object'), literal, fc.integer({ min: 60, max: 160 }))
  .map(([kind, unit, size]) => {
    if (kind === 'text') {
      const inside = unit.slice(1, -1) || 'a';
      return { text: `"${inside.repeat(Math.ceil((size * 1_000) / inside.length))}"`, depth: 0 };
    }
    const items = Array.from({ length: size * 100 }, (_, at) => [`"k${at}"`, at % 3 ? '{}' : unit]);
    return kind === 'list'
      ? { text: `[${items.map(([, item]) => item)}]`, depth: 2 }
      : { text: `{${items.map((pair) => pair.join(':'))}}`, depth: 2 };
  });
