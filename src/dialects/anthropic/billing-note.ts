/**
 * The first system block of Claude Code is a note on its version for Anthropic's billing. It changes
 * with each conversation, so other vendors could not reuse a cached prompt that begins with it.
 */
import { isObject, type JsonObject, textIn } from '../../json/read-json.ts';

const NOTE = /^x-anthropic-billing-header:[^\n]*\n*/;

/** The same object if there is no note. */
export function withoutBillingNote(body: JsonObject): JsonObject {
  const { system } = body;
  if (typeof system === 'string')
    return NOTE.test(system) ? { ...body, system: system.replace(NOTE, '') } : body;
  const [first, ...rest]: readonly unknown[] = Array.isArray(system) ? system : [];
  const text = isObject(first) ? textIn(first, 'text') : undefined;
  if (!isObject(first) || text === undefined || !NOTE.test(text)) return body;
  const left = text.replace(NOTE, '');
  return { ...body, system: left === '' ? rest : [{ ...first, text: left }, ...rest] };
}
