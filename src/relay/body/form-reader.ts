/** Reads multipart forms. Parts that are not understood are dropped and never forwarded. */
import { Busboy } from '@fastify/busboy';
import { AppError } from '../../domain/errors/errors.ts';
import { type FieldProblem, wrongField } from '../../domain/errors/field-errors.ts';
import type {
  MultipartField,
  MultipartFile,
  MultipartForm,
} from '../../providers/requests/multipart-form.ts';

/** Far above any real request; the body limit bounds the form as a whole. */
const LIMITS = {
  fieldNameSize: 200,
  fieldSize: 1024 * 1024,
  fields: 200,
  files: 40,
  parts: 240,
  headerPairs: 20,
} as const;

export function isForm(contentType: string): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(contentType);
}

/** @throws AppError body_not_form; field_wrong for a field or a number of files beyond the limits. */
export function readForm(body: Buffer, contentType: string): Promise<MultipartForm> {
  return new Promise((resolve, reject) => {
    const parts: (MultipartField | MultipartFile)[] = [];
    const refuse = (field: string, problem: FieldProblem, most: number) =>
      reject(wrongField(field, problem, { most }));
    const broken = (cause: unknown) => reject(new AppError('body_not_form', {}, { cause }));
    const reader = openReader(contentType);
    reader.on('field', (name: string | undefined, value, _nameIsCut, isCut) => {
      if (name === undefined) return;
      if (isCut) refuse(name, 'too_many_bytes', LIMITS.fieldSize);
      parts.push({ name, value: String(value) });
    });
    reader.on('file', (name: string | undefined, stream, filename, _encoding, type) => {
      // Also for dropped files: a truncated form emits the error on the file that it cuts off.
      stream.on('error', broken);
      if (name === undefined) return void stream.resume();
      const pieces: Buffer[] = [];
      const index = parts.push({ name, value: '' }) - 1;
      // Use flowing mode, so that the parser never waits; the bytes are in memory already.
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
        parts[index] = { name, filename: filename ?? '', type, pieces, bytes };
      });
    });
    reader.on('filesLimit', () => refuse('file', 'too_many_files', LIMITS.files));
    reader.on('fieldsLimit', () => refuse('form', 'too_many_fields', LIMITS.fields));
    reader.on('partsLimit', () => refuse('form', 'too_many_parts', LIMITS.parts));
    reader.on('error', broken);
    reader.on('finish', () => resolve(parts));
    reader.end(body);
  });
}

function openReader(contentType: string) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch (cause) {
    throw new AppError('body_not_form', {}, { cause });
  }
}
