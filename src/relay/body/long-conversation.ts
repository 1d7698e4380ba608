/**
 * Limits the length of conversations in large bodies, because converting between dialects runs
 * without yielding.
 */
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isObject } from '../../json/read-json.ts';
import type { JsonBody } from './read-body.ts';

const MAX_MESSAGES_AND_PARTS = 10_000;
/** Lists to count, in any dialect: top-level lists and the lists in their entries. */
const LISTS = ['messages', 'contents', 'input', 'system'] as const;
const PARTS = ['content', 'parts'] as const;
const MAX_TOOL_BYTES = 2 * 1024 * 1024;
const TOOLS: ReadonlySet<string> = new Set(['tools', 'functions']);

/**
 * Only checks large bodies, as small ones cannot hold that many entries.
 * @throws AppError field_wrong, which names the field.
 */
export function refuseLongConversation({ sent, source }: Pick<JsonBody, 'sent' | 'source'>): void {
  if (typeof source === 'string') return;
  for (const { name: field, start, end } of source) {
    if (!TOOLS.has(field) || end - start <= MAX_TOOL_BYTES) continue;
    throw wrongField(field, 'too_long_to_convert', { most: MAX_TOOL_BYTES });
  }
  for (const field of LISTS) {
    const list = sent[field];
    if (!Array.isArray(list) || entriesIn(list) <= MAX_MESSAGES_AND_PARTS) continue;
    throw wrongField(field, 'too_many_to_convert', { most: MAX_MESSAGES_AND_PARTS });
  }
}

function entriesIn(list: readonly unknown[]): number {
  return list.reduce<number>((sum, entry) => {
    if (!isObject(entry)) return sum + 1;
    const parts = PARTS.map((name) => entry[name]).find(Array.isArray);
    return sum + 1 + (parts?.length ?? 0);
  }, 0);
}
