/** Server-sent events as bytes (WHATWG HTML, "Server-sent events"), in tidy and untidy spelling. */
import type { Framing } from './plan.ts';

const NEWLINES = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

function dataLines(value: unknown, framing: Framing): string[] {
  const text = framing.multiline ? JSON.stringify(value, null, 1) : JSON.stringify(value);
  return text.split('\n');
}

function eventText(lines: readonly string[], at: number, framing: Framing): string {
  const newline = NEWLINES[framing.newline ?? 'lf'];
  const label = framing.space === false ? 'data:' : 'data: ';
  const data = lines.map((line) => label + line);
  const fields = framing.fields ? [`id: ${at}`, 'retry: 3000', ...data, 'event: message'] : data;
  const comment = framing.comments ? `: keep-alive${newline}${newline}${newline}` : '';
  return comment + fields.join(newline) + newline + newline;
}

/** One text per event, the closing `[DONE]` included. */
export function frameTexts(values: readonly unknown[], framing: Framing): string[] {
  const lines = values.map((value) => dataLines(value, framing));
  if (framing.done !== false) lines.push(['[DONE]']);
  const texts = lines.map((event, at) => eventText(event, at, framing));
  if (framing.bom) texts[0] = `\uFEFF${texts[0] ?? ''}`;
  if (framing.tail === false) texts.push((texts.pop() ?? '').replace(/[\r\n]+$/, ''));
  return texts;
}
