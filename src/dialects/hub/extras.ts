/**
 * Fields of a dialect with no equivalent in the hub. They are sent only to upstreams of the same
 * dialect, because other vendors reject unknown fields.
 */
import type { JsonObject } from '../../json/read-json.ts';

/** The vendor whose models can read signed, encrypted or uploaded content. */
export type Vendor = 'openai' | 'anthropic' | 'gemini';

/** The dialect a value comes from: OpenAI has two; `openai` is the older one, chat. */
export type Origin = Vendor | 'responses';

export type Extras = Readonly<Partial<Record<Origin, JsonObject>>>;

/** The fields of `holder` not in `known`, to be spread into a block or a request. */
export function unknownFields(
  origin: Origin,
  holder: JsonObject,
  known: ReadonlySet<string>,
): { readonly extras?: Extras } {
  const rest = Object.entries(holder).filter(([name]) => !known.has(name));
  return rest.length === 0 ? {} : { extras: { [origin]: Object.fromEntries(rest) } };
}

export function extrasFor(origin: Origin, holder: { readonly extras?: Extras }): JsonObject {
  return holder.extras?.[origin] ?? {};
}
