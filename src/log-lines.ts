/** Log entries as lines for a person at a terminal. */
import { inspect } from 'node:util';
import { parsedObject } from './json/parse-json-object.ts';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/** Takes an entry as a line of JSON, and returns `14:03:07 warning message name=value`. */
export function readableLine(line: string): string {
  const { level, time, msg, err, ...facts } = parsedObject(line);
  if (typeof time !== 'number') return line;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${shownValue(value)}`);
  const words = [clock, LEVELS[Number(level)] ?? String(level), String(msg ?? ''), ...shown];
  const trace = err === undefined ? '' : `\n${indented(traceOf(err))}`;
  return `${words.filter(Boolean).join(' ')}${trace}\n`;
}

function shownValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}

function traceOf(err: unknown): string {
  const { stack, type, message, ...more } = Object(err) as Readonly<Record<string, unknown>>;
  const first = typeof stack === 'string' ? stack : `${String(type)}: ${String(message)}`;
  return Object.keys(more).length === 0 ? first : `${first}\n${inspect(more)}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
