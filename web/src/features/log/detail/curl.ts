/** Renders a logged call as a curl command that repeats it. */

import { parseJson } from '../../../../../src/json/read-json.ts';
import type { LogEntry } from '../calls.ts';
import { factsOf, textFact } from '../facts.ts';

type Called = Pick<LogEntry, 'model_name' | 'is_stream' | 'other'>;

/** The key comes from the user's environment, because logs do not contain it. */
export function logCurl(entry: Called, origin: string): string {
  const body = {
    model: entry.model_name,
    messages: messagesOf(entry.other),
    ...(entry.is_stream && { stream: true }),
  };
  return [
    `curl ${quoted(`${origin}/v1/chat/completions`)}`,
    `  -H "Authorization: Bearer $API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n');
}

function messagesOf(other: string): readonly unknown[] {
  const facts = factsOf(other);
  const before = parseJson(textFact(facts, 'context'));
  const input = textFact(facts, 'input_content');
  const last = parseJson(input);
  const message = isMessage(last) ? last : { role: 'user', content: input || 'Hello' };
  return [...(Array.isArray(before) ? before : []), message];
}

function isMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'role' in value && 'content' in value;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
