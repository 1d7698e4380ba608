/** Converts `reasoning_effort` to the fields that a model supports. */
import type { JsonObject } from '../../json/read-json.ts';
import { EFFORT_LEVELS, type Effort, type ReasoningFields } from './model-rules.ts';

/** Returns the same object if no effort is set. */
export function shapeReasoning(body: JsonObject, fields: ReasoningFields): JsonObject {
  const { reasoning_effort: asked, ...rest } = body;
  if (asked === undefined) return body;
  if (asked === 'none' && fields.off !== undefined) return { ...fields.off, ...rest };
  const level = fields.efforts && nearest(asked, fields.efforts);
  return {
    ...(asked === 'none' ? {} : fields.on),
    ...rest,
    ...(level === undefined ? {} : { reasoning_effort: level }),
  };
}

/** The next lower supported level, else the lowest; undefined for an unknown level. */
function nearest(asked: unknown, known: readonly Effort[]): Effort | undefined {
  const levels: readonly unknown[] = EFFORT_LEVELS;
  const wanted = asked === 'none' ? 0 : levels.indexOf(asked);
  if (wanted === -1) return undefined;
  const ordered = EFFORT_LEVELS.filter((level) => known.includes(level));
  return ordered.findLast((level) => EFFORT_LEVELS.indexOf(level) <= wanted) ?? ordered[0];
}
