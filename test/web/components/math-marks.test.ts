import katex from 'katex';
import { expect, test } from 'vitest';
import { formulaIn, withMathMarks } from '../../../web/src/components/content/math-marks.ts';

const inline = (text: string) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => formulaIn(code)?.tex);

test.each([
  ['Euler: \\(e^{i\\pi} = -1\\).', ['e^{i\\pi} = -1']],
  ['so $a_1$ and $b$.', ['a_1', 'b']],
  ['it costs $5 and then $6.', []],
  ['from $5-$6 a month', []],
  ['`\\(x\\)` stays', [undefined]],
])('finds the formulas within a line of %j', (text, formulas) => {
  expect(inline(withMathMarks(text))).toEqual(formulas);
});

test.each(['\\[\n\\frac{1}{2}\n\\]', '$$\\frac{1}{2}$$'])('makes a block of %j', (text) => {
  expect(withMathMarks(text).trim()).toBe('```math\n\\frac{1}{2}\n```');
  expect(formulaIn('\\frac{1}{2}\n', 'language-math')).toMatchObject({ isDisplay: true });
});

test('leaves code and texts without formulas alone', () => {
  const text = 'See\n\n```sh\necho "$HOME" \\[x\\] $$ $a$\n```\n\nand `$x$` for 5 dollars';
  expect(withMathMarks(text)).toBe(text);
});

test('a wrong formula is shown, not thrown', () => {
  expect(katex.renderToString('\\frac{1', { throwOnError: false })).toContain('frac');
});
