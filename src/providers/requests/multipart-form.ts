/**
 * A form with files (multipart/form-data, RFC 7578) as a list of parts, and its serialization. File
 * contents are views of the request body, so changing a field copies no file.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/read-json.ts';

export interface MultipartField {
  readonly name: string;
  readonly value: string;
}

export interface MultipartFile {
  readonly name: string;
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
}

/** In the order of the form; names may repeat. */
export type MultipartForm = readonly (MultipartField | MultipartFile)[];

export function isFile(part: MultipartField | MultipartFile): part is MultipartFile {
  return 'pieces' in part;
}

export function filesOf(form: MultipartForm): readonly MultipartFile[] {
  return form.filter(isFile);
}

/** The fields as an object of strings; a repeated name becomes a list. */
export function formFields(form: MultipartForm): JsonObject {
  const fields = new Map<string, string | string[]>();
  for (const part of form) {
    if (isFile(part)) continue;
    const known = fields.get(part.name);
    fields.set(part.name, known === undefined ? part.value : [known, part.value].flat());
  }
  return Object.fromEntries(fields);
}

/** Applies the differences between `before` (the form's fields) and `after`; files are kept. */
export function withFields(
  form: MultipartForm,
  before: JsonObject,
  after: JsonObject,
): MultipartForm {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = new Set([...names].filter((name) => before[name] !== after[name]));
  if (changed.size === 0) return form;
  const kept = form.filter((part) => isFile(part) || !changed.has(part.name));
  const added = [...changed].flatMap((name) =>
    textsOf(after[name]).map((value) => ({ name, value })),
  );
  return [...added, ...kept];
}

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

export interface WrittenForm {
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
}

/** Uses a new boundary, so that no content of a file can end its part. */
export function writeForm(form: MultipartForm): WrittenForm {
  const boundary = `gateway-${randomUUID()}`;
  const pieces = form.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`),
    ...(isFile(part) ? part.pieces : [Buffer.from(part.value)]),
    LINE_END,
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    pieces: [...pieces, Buffer.from(`--${boundary}--\r\n`)],
  };
}

const LINE_END = Buffer.from('\r\n');

function headersOf(part: MultipartField | MultipartFile): string {
  const name = `Content-Disposition: form-data; name="${quoted(part.name)}"`;
  if (!isFile(part)) return name;
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(part.type) ? part.type : 'application/octet-stream';
  return `${name}; filename="${quoted(part.filename)}"\r\nContent-Type: ${type}`;
}

/** Escapes names as browsers do (WHATWG HTML 4.10.21.8). */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
