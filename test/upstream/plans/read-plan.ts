/** Parses plans: objects, JSON, or preset names joined with `+`. */
import { layPlan, type Plan, PlanSchema } from './plan.ts';
import { type Given, PlanError } from './preset.ts';
import { PRESETS } from './presets.ts';

function givenOf(words: readonly string[], preset: string): Given {
  return {
    word: (index, fallback) => words[index] ?? fallback,
    count: (index, fallback) => {
      const word = words[index];
      if (word === undefined || word === '') return fallback;
      const value = Number(word);
      if (Number.isNaN(value)) throw new PlanError(`"${preset}": "${word}" is not a number`);
      return value;
    },
  };
}

function planNamed(text: string): Plan {
  const [name = '', ...words] = text.split(':');
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined) {
    throw new PlanError(`unknown plan "${name}"; known: ${Object.keys(PRESETS).join(', ')}`);
  }
  return checkPlan(preset.plan(givenOf(words, name)));
}

function checkPlan(value: unknown): Plan {
  const checked = PlanSchema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new PlanError(`bad plan: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PlanError('bad plan: the JSON does not parse', { cause });
  }
}

/** Parses a plan from an object, JSON text, or names joined with `+`. @throws PlanError */
export function readPlan(source: Plan | string): Plan {
  if (typeof source !== 'string') return checkPlan(source);
  if (source.startsWith('{')) return checkPlan(parseJson(source));
  return source.split('+').map(planNamed).reduce(layPlan, {});
}

/**
 * The plan at the end of a model name (`gpt-4o-mini+hang-stream:2`) as text; undefined without one.
 */
export function planInModel(model: string): string | undefined {
  const plus = model.indexOf('+');
  return plus < 0 ? undefined : model.slice(plus + 1);
}
