/**
 * Checks that values too long or unusual for a column are stored, or refused with the field name.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtures, type Fixtures } from '../../server/every-call/fixtures.ts';
import { sampleOf } from '../../server/every-call/samples.ts';
import { databases } from '../../support/databases.ts';
import { fieldsOf, requestTo, takesText, ways } from './ways.ts';

const VALUES: Readonly<Record<string, string>> = {
  // Fewer than 65,536 characters, but more bytes.
  long: '\u{1f600}'.repeat(20_000),
  'of control characters': '\u0001\u001f\u007f\u0085\u2028',
  'of SQL with half a character': `'"\`\\; drop table users; --\ud800`,
};

/** Calls that start long-running work for any input. */
const SLOW = new Set(['channelTest.begin', 'channelBalance.updateAll', 'job.run', 'setup.run']);

const writes = ways.filter(({ method, id }) => method !== 'GET' && !SLOW.has(id));

describe.each(databases)('long values on $kind', ({ kind }) => {
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await createFixtures(kind);
  });
  afterAll(() => fixtures.close());

  it.each(writes)(
    '$title accepts or refuses text of any length in any field without an internal error',
    async (way) => {
      const { who, input } = await sampleOf(fixtures, way);
      const fields = Object.entries(fieldsOf(way.call)).filter(
        ([name]) => !way.path.includes(`:${name}`),
      );
      for (const [name, schema] of fields)
        for (const [what, value] of Object.entries(VALUES).slice(takesText(schema) ? 0 : -1)) {
          const { path, options: request } = requestTo(way, { ...input, [name]: value });
          const { status, body, text } = await who.browser.send(way.method, path, request);
          const where = `${name} ${what}: ${text.slice(0, 300)}`;
          expect(status, where).toBeLessThan(500);
          expect(body?.code, where).not.toBe('internal');
        }
    },
  );
});
