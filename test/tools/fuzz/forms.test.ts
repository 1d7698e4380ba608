/** Multipart forms: our reader and writer agree with an independent encoder and decoder. */
import fc from 'fast-check';
import { FormData, Response } from 'undici';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';
import {
  isFile,
  type MultipartForm,
  writeForm,
} from '../../../src/providers/requests/multipart-form.ts';
import { isForm, readForm } from '../../../src/relay/body/form-reader.ts';
import { holds } from './holds.ts';
import { damaged, soonOutcomeOf } from './pieces.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.toWellFormed());
/** Names as sent: line breaks and quotes are percent-encoded and stay encoded. */
const name = text
  .map((value) => value.replace(/[\r\n"\0\\]/g, ''))
  .filter((value) => value.length > 0);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 80 }).map((value) => Buffer.from(value)),
  fc.constantFrom('\r\n--', '--gateway-', '\r\n\r\n', '').map((value) => Buffer.from(value)),
);
const field = fc.record({ name, value: text });
const file = fc.record({
  name,
  filename: name.map((value) => `f${value.replaceAll('/', '')}`),
  type: fc.constantFrom('image/png', 'application/octet-stream', 'text/x-y'),
  bytes,
});
const parts = fc.array(fc.oneof(field, file), { minLength: 1, maxLength: 6 });

type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;

function formOf(given: Parts): MultipartForm {
  return given.map((part) =>
    'bytes' in part
      ? { ...part, pieces: [part.bytes], bytes: part.bytes.length }
      : { name: part.name, value: part.value },
  );
}

interface Plain {
  readonly name: string;
  readonly value?: string;
  readonly filename?: string;
  readonly hex?: string;
}

function plain(form: MultipartForm): Plain[] {
  return form.map((part) =>
    isFile(part)
      ? {
          name: part.name,
          filename: part.filename,
          hex: Buffer.concat([...part.pieces]).toString('hex'),
        }
      : { name: part.name, value: part.value },
  );
}

holds(
  'what another encoder writes is read as it was meant',
  fc.asyncProperty(parts, async (given) => {
    const form = new FormData();
    for (const part of given)
      if ('bytes' in part)
        form.append(
          part.name,
          new File([new Uint8Array(part.bytes)], part.filename, { type: part.type }),
        );
      else form.append(part.name, part.value);
    const written = new Response(form);
    const body = Buffer.from(await written.arrayBuffer());
    const contentType = written.headers.get('content-type') ?? '';
    expect(isForm(contentType)).toBe(true);
    expect(plain(await readForm(body, contentType))).toEqual(
      given.map((part) =>
        'bytes' in part
          ? { name: part.name, filename: part.filename, hex: part.bytes.toString('hex') }
          : // RFC 7578 and browsers send the line breaks of a field as CR LF.
            { name: part.name, value: part.value.replace(/\r\n|\r|\n/g, '\r\n') },
      ),
    );
  }),
  { runs: 150 },
);

holds(
  'what is written another reader reads, and so do we',
  fc.asyncProperty(parts, async (given) => {
    const form = formOf(given);
    const { contentType, pieces } = writeForm(form);
    const body = Buffer.concat(pieces);
    expect(plain(await readForm(body, contentType))).toEqual(plain(form));
    const read = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    const results = await Promise.all(
      [...read].map(
        async ([key, value]): Promise<Plain> =>
          typeof value === 'string'
            ? { name: key, value }
            : {
                name: key,
                filename: value.name,
                hex: Buffer.from(await value.arrayBuffer()).toString('hex'),
              },
      ),
    );
    expect(results).toEqual(plain(form));
  }),
  { runs: 150 },
);

const written = parts.map((given) => {
  const { contentType, pieces } = writeForm(formOf(given));
  return { contentType, body: Buffer.concat(pieces) };
});

holds(
  'a damaged form is read or refused, and always soon',
  fc.asyncProperty(
    written.chain(({ contentType, body }) =>
      fc.tuple(
        damaged(fc.constant(body)),
        fc.oneof(
          fc.constant(contentType),
          fc.constantFrom(
            'multipart/form-data',
            'multipart/form-data; boundary=',
            'multipart/form-data; boundary=""',
          ),
          fc
            .string({ maxLength: 80 })
            .map((boundary) => `multipart/form-data; boundary=${boundary}`),
        ),
      ),
    ),
    async ([body, contentType]) => {
      const outcome = await soonOutcomeOf(readForm(body, contentType));
      if (outcome instanceof AppError)
        expect(['body_not_form', 'field_wrong']).toContain(outcome.code);
    },
  ),
  { runs: 200 },
);

/** Found by the property above: an unhandled error of a dropped file ended the process. */
test('refuses a truncated file without a name like any other truncated file', async () => {
  const body = Buffer.from('--b\r\nContent-Disposition: form-data; filename="f"\r\n\r\nabc');
  await expect(readForm(body, 'multipart/form-data; boundary=b')).rejects.toMatchObject({
    code: 'body_not_form',
  });
});
