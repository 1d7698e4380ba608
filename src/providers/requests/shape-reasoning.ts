/** Converts `reasoning_effort` to the fields that a model supports. */
import type { JsonObject } from '../../json/read-json.ts';
import { EFFORT_LEVELS, type Effort, type ReasoningFields } from './model-rules.ts';

/** Returns the same object if no effort is set. */
export function shapeReasoning(body: JsonObject, fields: ReasoningFields): JsonObject {
  const { reasoning_effort: effort, ...rest } = body;
  if (effort === undefined) return body;
  if (effort === 'none' && fields.off !== undefined) return { ...fields.off, ...rest };
  const level = fields.efforts && nearest(effort, fields.efforts);
  return {
    ...(effort === 'none' ? {} : fields.on),
    ...rest,
    ...(level === undefined ? {} : { reasoning_effort: level }),
  };
}

/** The next lower supported level, else the lowest; undefined for an unknown level. */
function nearest(effort: unknown, known: readonly Effort[]): Effort | undefined {
  const levels: readonly unknown[] = EFFORT_LEVELS;
  const wanted = effort === 'none' ? 0 : levels.indexOf(effort);
  if (wanted === -1) return undefined;
  const ordered = EFFORT_LEVELS.filter((level) => known.includes(level));
  return ordered.findLast((level) => EFFORT_LEVELS.indexOf(level) <= wanted) ?? ordered[0];
}
