/**
 * Checks that values too long or unusual for a column are stored, or refused with the field name.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../server/samples.ts';
import { aWalker, type Walker } from '../server/walker.ts';
import { databases } from '../support/databases.ts';
import { fieldsOf, requestTo, ways } from './ways.ts';

const VALUES: Readonly<Record<string, string>> = {
  long: 'x'.repeat(70_000),
  'long in bytes': '\u{1f600}'.repeat(20_000),
  'of control characters': '\u0001\u001f\u007f\u0085\u2028',
  'half a character': 'a\ud800b',
  SQL: `'"\`\\; drop table users; --`,
};

/** Calls that start long-running work for any input. */
const SLOW = new Set(['channelTest.begin', 'channelBalance.updateAll', 'job.run', 'setup.run']);

const writes = ways.filter(({ method, id }) => method !== 'GET' && !SLOW.has(id));

describe.each(databases)('long values on $kind', ({ kind }) => {
  let walker: Walker;
  beforeAll(async () => {
    walker = await aWalker(kind);
  });
  afterAll(() => walker.close());

  it.each(writes)(
    '$title accepts or refuses text of any length in any field without an internal error',
    async (way) => {
      const { who, input } = await sampleOf(walker, way);
      const names = Object.keys(fieldsOf(way.call)).filter(
        (name) => !way.path.includes(`:${name}`),
      );
      for (const name of names)
        for (const [what, value] of Object.entries(VALUES)) {
          const { path, asked } = requestTo(way, { ...input, [name]: value });
          const told = await who.browser.ask(way.method, path, asked);
          expect([name, what, told.status < 500, told.body?.code], told.text.slice(0, 300)).toEqual(
            [name, what, true, told.body?.code === 'internal' ? 'not internal' : told.body?.code],
          );
        }
    },
  );
});
