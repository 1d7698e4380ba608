/** Options: any value is refused or stored as given, and maps return only their own entries. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { mapModel } from '../../../src/domain/channels/model-names.ts';
import { parseOption } from '../../../src/domain/options/parse.ts';
import { OPTION_KEYS, OptionValues, optionRowOf } from '../../../src/domain/options/registry.ts';
import { buildWordAutomaton } from '../../../src/domain/text/word-automaton.ts';
import { mapStatus } from '../../../src/upstream-errors/error-policy.ts';
import { holds } from './holds.ts';
import { anyText, outcomeOf } from './pieces.ts';

const current = (key: string) => new OptionValues().raw(key);
const map = fc.dictionary(
  fc.oneof(anyText, fc.constantFrom('default', 'gpt-4o', '__proto__')),
  fc.oneof(fc.double(), fc.integer(), anyText, fc.dictionary(anyText, fc.double(), { maxKeys: 2 })),
  { maxKeys: 4 },
);
const value = fc.oneof(
  anyText,
  fc.oneof(fc.integer(), fc.double()).map(String),
  fc.constantFrom('true', 'FALSE', '', 'https://x.example/', 'a@b', '[]', '{}', '1,2', 'regex:('),
  map.map((given) => JSON.stringify(given)),
  fc.jsonValue({ maxDepth: 3 }),
);

holds(
  'an option is refused by its name, or what is stored reads back as it is',
  fc.property(fc.constantFrom(...OPTION_KEYS), value, (key, given) => {
    const parsed = outcomeOf(() => parseOption(key, given, current));
    if ('refused' in parsed) {
      expect(parsed.refused).toBe('option_invalid');
      return;
    }
    const again = parseOption(key, parsed.stored, current);
    expect(again.stored).toBe(parsed.stored);
    expect(again.value).toEqual(parsed.value);
    const read = new OptionValues(new Map([[key, parsed.stored]]));
    expect(read.get(key)).toEqual(parsed.value);
    expect(read.problems()).toEqual([]);
  }),
  { runs: 600 },
);

const MAPS = OPTION_KEYS.filter((key) => {
  const row = optionRowOf(key);
  return row.type === 'json' && row.fallback.startsWith('{');
});

holds(
  'a map applies to its own names and to no others',
  fc.property(fc.constantFrom(...MAPS), map, anyText, (key, given, name) => {
    const parsed = outcomeOf(() => parseOption(key, JSON.stringify(given), current));
    if ('refused' in parsed) return;
    const held: object = Object(parsed.value);
    expect(Object.getPrototypeOf(held)).toBe(null);
    expect(Object.isFrozen(held)).toBe(true);
    if (!Object.hasOwn(given, name)) expect(Reflect.get(held, name)).toBeUndefined();
  }),
  { runs: 300 },
);

holds(
  'stored text that is no value counts as the default',
  fc.property(fc.constantFrom(...OPTION_KEYS), anyText, (key, stored) => {
    const read = new OptionValues(new Map([[key, stored]]));
    if (read.problems().length > 0) expect(read.get(key)).toEqual(new OptionValues().get(key));
  }),
  { runs: 300 },
);

const names = fc.constantFrom<string>('a', 'b', 'c', 'd', 'constructor', '__proto__', ' a ', '');

holds(
  'a mapping of models arrives at a name that leads nowhere else, or runs in a circle',
  fc.property(fc.array(fc.tuple(names, names), { maxLength: 6 }), names, (pairs, model) => {
    const mapping = Object.fromEntries(pairs);
    const arrived = mapModel(mapping, model, model);
    const seen = new Set([model]);
    let at = model;
    for (;;) {
      const next = (Object.hasOwn(mapping, at) ? mapping[at] : undefined)?.trim();
      if (!next || next === at) break;
      if (seen.has(next)) {
        expect(arrived).toBeUndefined();
        return;
      }
      seen.add(next);
      at = next;
    }
    expect(arrived).toBe(at);
  }),
  { runs: 200 },
);

holds(
  'a mapping of statuses gives a status',
  fc.property(
    fc.dictionary(
      fc.oneof(fc.integer({ min: 100, max: 600 }).map(String), anyText),
      fc.oneof(anyText, fc.integer()),
    ),
    fc.integer({ min: 100, max: 599 }),
    (mapping, status) => {
      const mapped = mapStatus(mapping, status);
      expect(Number.isInteger(mapped) && mapped >= 100 && mapped <= 599).toBe(true);
      if (!Object.hasOwn(mapping, String(status)) || status === 200) expect(mapped).toBe(status);
    },
  ),
  { runs: 200 },
);

holds(
  'words are found where a plain search finds them',
  fc.property(
    fc.array(
      fc.string({
        unit: fc.constantFrom('a', 'b', 'B', '漢', '🙂', 'ß'),
        minLength: 1,
        maxLength: 5,
      }),
      { maxLength: 12 },
    ),
    fc.string({ unit: fc.constantFrom('a', 'b', 'A', '漢', '🙂', ' '), maxLength: 30 }),
    (words, text) => {
      const found = buildWordAutomaton(words).find(text);
      const plainly = words.filter((word) => text.toLowerCase().includes(word.toLowerCase()));
      expect(found === undefined).toBe(plainly.length === 0);
      if (found !== undefined) expect(plainly.map((word) => word.toLowerCase())).toContain(found);
    },
  ),
  { runs: 300 },
);
