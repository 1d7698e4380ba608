/** Parses plans: objects, JSON, or preset names joined with `+`. */
import { layPlan, type Plan, PlanSchema } from './plan.ts';
import { PRESETS } from './presets.ts';

/** Thrown for an unknown or invalid plan; the message is meant for test authors. */
export class PlanError extends Error {}

function planNamed(text: string): Plan {
  const [name = '', ...words] = text.split(':');
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined) {
    throw new PlanError(`unknown plan "${name}"; known: ${Object.keys(PRESETS).join(', ')}`);
  }
  const [plan, ...fields] = preset;
  const made = words.reduce<object>((made, word, at) => withField(made, fields[at], word), plan);
  return checkPlan(made);
}

/** An empty word keeps the preset's own value. */
function withField(plan: object, path: string | undefined, word: string): object {
  if (path === undefined || word === '') return plan;
  const [name = '', rest] = path.split(/\.(.*)/);
  const within: object = Object(Reflect.get(plan, name));
  const value = Number.isNaN(Number(word)) ? word : Number(word);
  return { ...plan, [name]: rest === undefined ? value : withField(within, rest, word) };
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
