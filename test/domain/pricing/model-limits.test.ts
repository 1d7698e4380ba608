import { expect, test } from 'vitest';
import { limitsOfModel } from '../../../src/domain/pricing/model-limits.ts';

const PUBLISHED = { fresh: { context: 9000, output_limit: 700 }, 'gpt-4o': { output_limit: 1 } };

test('a model has the limits of the catalogue, else those that its upstream published', () => {
  const listed = limitsOfModel(['gpt-4o'], {}, {});
  expect(listed.output).toBeGreaterThan(1000);
  expect(limitsOfModel(['gpt-4o'], {}, PUBLISHED)).toEqual(listed);
  expect(limitsOfModel(['fresh'], {}, PUBLISHED)).toEqual({ context: 9000, output: 700 });
  expect(limitsOfModel(['other', 'fresh'], {}, PUBLISHED).output).toBe(700);
});

test('an output limit of the operator comes first, and the default last', () => {
  expect(limitsOfModel(['fresh'], { fresh: 5, default: 6 }, PUBLISHED).output).toBe(5);
  expect(limitsOfModel(['fresh'], { default: 6 }, PUBLISHED).output).toBe(700);
  expect(limitsOfModel(['unknown'], { default: 6 }, PUBLISHED).output).toBe(6);
});
