import { expect, test, vi } from 'vitest';
import { yamlProblem, yamlValue } from '../../src/session/yaml.ts';

test.each([
  ['a: 1\nb: [x]', { a: 1, b: ['x'] }],
  ['{"a": null}', { a: null }],
  ['', null],
  ['a: !!str 1', { a: '1' }],
])('reads %j as intended', (text, value) => {
  expect(yamlValue(text)).toEqual(value);
});

test.each(['a: [', 'a: 1\na: 2', '!!js/function x', 'key: !vault abc', '? !!js/function x'])(
  'refuses to read %j',
  (text) => {
    expect(yamlValue(text)).toBeUndefined();
  },
);

test.each([
  ['a: 1\nb: [1, 2\nc: 3', ['yaml_at', { line: 3, column: 1 }]],
  ['a: 1\nkey: !vault abc', ['yaml_at', { line: 2, column: 6 }]],
  ['only a text', ['yaml', {}]],
])('names the line and column of the mistake in %j', (text, problem) => {
  expect(yamlProblem(text)).toEqual(problem);
});

test('the parser prints nothing on the terminal', () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockReturnValue();
  try {
    yamlValue('!!js/function x');
    yamlValue('? [1, 2]\n: a list as a name');
    expect(warnings.mock.calls).toEqual([]);
  } finally {
    warnings.mockRestore();
  }
});
