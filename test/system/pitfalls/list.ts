/**
 * The pitfalls by number. Each has exactly one test with its number, in this folder if only a whole
 * call shows it, or a reason here why there is none; docs/compatibility.md lists them.
 */
import { readdirSync, readFileSync } from 'node:fs';

export const PITFALLS = 85;

const TESTS = new URL('../../', import.meta.url);

/** Why a pitfall has no test here. */
export const UNTESTED: Readonly<Record<string, string>> = {
  D67: 'Beta headers of Bedrock and Vertex: test/relay/translate/clouds.test.ts covers them.',
  D73: 'Answers that take longer than five minutes: both time limits of the HTTP client are switched off, and no test waits that long.',
  D77: 'The subprotocol of realtime sessions: test/relay/realtime covers it.',
  D78: 'Forms in which the model follows the file: test/relay/media covers them.',
};

export interface NamedTest {
  readonly id: string;
  /** The file below `test`. */
  readonly file: string;
  readonly title: string;
}

/** The tests that are named for a pitfall. */
export function namedTests(): NamedTest[] {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, TESTS), 'utf8');
      const titles = [...source.matchAll(/(['"`])(D\d\d) (.+?)\1,/g)];
      return titles.map(([, , id = '', title = '']) => ({ id, file, title }));
    });
}
