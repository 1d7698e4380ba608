/** Encodes server-sent events (WHATWG HTML, "Server-sent events") in every valid form. */
import type { Framing } from '../plans/plan.ts';

const NEWLINES = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

function dataLines(value: unknown, framing: Framing): string[] {
  const text = framing.multiline ? JSON.stringify(value, null, 1) : JSON.stringify(value);
  return text.split('\n');
}

function eventText(
  lines: readonly string[],
  at: number,
  framing: Framing,
  name: string | undefined,
): string {
  const newline = NEWLINES[framing.newline ?? 'lf'];
  const label = framing.space === false ? 'data:' : 'data: ';
  const data = lines.map((line) => label + line);
  const named = name === undefined ? data : [`event: ${name}`, ...data];
  const fields = framing.fields ? [`id: ${at}`, 'retry: 3000', ...named, 'event: message'] : named;
  const comment = framing.comments ? `: keep-alive${newline}${newline}${newline}` : '';
  return comment + fields.join(newline) + newline + newline;
}

function typeOf(value: unknown): string | undefined {
  const type = typeof value === 'object' && value !== null && 'type' in value && value.type;
  return typeof type === 'string' ? type : undefined;
}

/** How events are named: not at all, by their type, or by the protocol. */
type Naming = boolean | ((body: object) => string | undefined);

function nameOf(value: unknown, named: Naming): string | undefined {
  if (typeof named === 'boolean') return named ? typeOf(value) : undefined;
  return typeof value === 'object' && value !== null ? named(value) : undefined;
}

/** One text per event, the closing `[DONE]` included. */
export function frameTexts(
  values: readonly unknown[],
  framing: Framing,
  named: Naming = false,
): string[] {
  const lines = values.map((value) => dataLines(value, framing));
  if (framing.done !== false) lines.push(['[DONE]']);
  const texts = lines.map((event, at) => eventText(event, at, framing, nameOf(values[at], named)));
  if (framing.bom) texts[0] = `\uFEFF${texts[0] ?? ''}`;
  if (framing.tail === false) texts.push((texts.pop() ?? '').replace(/[\r\n]+$/, ''));
  return texts;
}
