/** Large bodies, which are read in slices, give the values and refusals of `JSON.parse`. */
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { expect } from 'vitest';
import { RawJson } from '../../../src/relay/body/raw-json.ts';
import { readLargeBody } from '../../../src/relay/body/read-body.ts';
import { type WrittenJson, writeEdited, writeJson } from '../../../src/relay/body/write-json.ts';
import { holds } from './holds.ts';
import { longValue, memberOf, textOf, value } from './json-texts.ts';

const names = ['messages', 'tools', 'mod\\u0065l', 'x1', 'x2'].map((name) => `"${name}"`);
const values = fc.oneof({ weight: 15, arbitrary: value }, { weight: 1, arbitrary: longValue });
const whole = fc
  .uniqueArray(memberOf(fc.constantFrom(...names), values), { selector: ({ name }) => name })
  .map(textOf);
const JUNK = '" \\ { } [ ] , : 1 - . e tru \\u12 \0'.split(' ');
/** With something removed, replaced, inserted or truncated. */
const broken = fc
  .tuple(whole, fc.nat(), fc.nat(3), fc.constantFrom('', ...JUNK), fc.boolean())
  .map(([text, place, removed, junk, isCut]) => {
    const at = place % text.length;
    return text.slice(0, at) + junk + (isCut ? '' : text.slice(at + removed));
  });

/** With U+FFFD for half of a surrogate pair. */
function mended(text: string): string {
  return text.replaceAll(
    /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u(d[89a-f][\da-f]{2})|.)/gi,
    (found, half) => (half === undefined ? found : '\\ufffd'),
  );
}

function asJson(written: WrittenJson): unknown {
  if (typeof written === 'string') return JSON.parse(written);
  return JSON.parse(String(Buffer.isBuffer(written) ? written : Buffer.concat(written)));
}

const read = (text: string) =>
  readLargeBody(Buffer.from(text), (name) => !name.startsWith('x'), {
    account: 0,
    hold: () => undefined,
  });

holds(
  'a large body is read and written as JSON.parse reads it',
  fc.asyncProperty(whole, async (text) => {
    const wanted = JSON.parse(mended(text));
    const body = await read(text);
    const sent = Object.entries(body.sent).map(([name, given]) => [
      name,
      given instanceof RawJson ? given.toJSON() : given,
    ]);
    deepStrictEqual(Object.fromEntries(sent), wanted);
    const written = asJson(await writeJson(body, body.sent));
    expect(JSON.stringify(written)).toBe(JSON.stringify(wanted));
    const edited = asJson(await writeEdited(body, { ...body.sent, model: 'b', tools: undefined }));
    const { tools: _, ...rest } = wanted;
    expect(JSON.stringify(edited)).toBe(JSON.stringify({ ...rest, model: 'b' }));
  }),
  { runs: 200 },
);

holds(
  'what is no JSON is refused at the position where JSON.parse stops',
  fc.asyncProperty(broken, async (text) => {
    const outcome = await read(Buffer.from(text).toString()).catch((error: unknown) => error);
    try {
      JSON.parse(mended(text));
      // No object is left, or a name that occurs twice.
      const code = expect.stringMatching(/^(body_not_object|field_wrong)$/);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const place = /position (\d+)/.exec(String(error))?.[1];
      const code = expect.stringMatching(/^body_(not_json|missing)$/);
      expect(outcome).toMatchObject({ code });
      if (place !== undefined && (outcome as { code?: string }).code === 'body_not_json')
        expect(outcome).toMatchObject({ params: { position: Number(place) } });
    }
  }),
  { runs: 300 },
);
