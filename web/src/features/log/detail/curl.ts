/** Renders a logged call as a curl command that repeats it. */

import type { LogFacts } from '../../../../../src/domain/logs/log-facts.ts';
import { parseJson } from '../../../../../src/json/read-json.ts';
import type { LogEntry } from '../calls.ts';

type Called = Pick<LogEntry, 'model_name' | 'is_stream' | 'facts'>;

/** The key comes from the user's environment, because logs do not contain it. */
export function logCurl(entry: Called, origin: string): string {
  const body = {
    model: entry.model_name,
    messages: messagesOf(entry.facts),
    ...(entry.is_stream && { stream: true }),
  };
  return [
    `curl ${quoted(`${origin}/v1/chat/completions`)}`,
    `  -H "Authorization: Bearer $API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n');
}

function messagesOf({ context = '', input_content: input = '' }: LogFacts): readonly unknown[] {
  const before = parseJson(context);
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
