/**
 * What a dialect says and the hub has no word for. It goes back to the family it came from and to
 * nobody else: a field of one vendor is an error at another.
 */
import type { JsonObject } from '../../json/read-json.ts';

/** Whose models read what is signed, encrypted or uploaded. */
export type Vendor = 'openai' | 'anthropic' | 'gemini';

/** Whose words it is said in: OpenAI has two dialects, and `openai` is the older one, chat. */
export type Origin = Vendor | 'responses';

export type Extras = Readonly<Partial<Record<Origin, JsonObject>>>;

/** The fields of `holder` that are not among `known`, to be spread into a block or a request. */
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
