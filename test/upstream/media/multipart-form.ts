/** Parses multipart/form-data (RFC 7578); `body` holds one character per byte. */

export interface SentFile {
  readonly filename: string;
  readonly type: string;
  /** One character per byte. */
  readonly content: string;
}

export type FormBody = Readonly<Record<string, string | string[] | SentFile | SentFile[]>>;

/** Undefined if the body is not a form or lacks the final boundary. */
export function formOf(contentType: string, body: string): FormBody | undefined {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined || !body.includes(`--${boundary}--`)) return undefined;
  const parts = body.split(`--${boundary}`).slice(1, -1);
  const values = new Map<string, (string | SentFile)[]>();
  for (const part of parts) {
    const [head = '', ...rest] = part.slice(2, -2).split('\r\n\r\n');
    const content = rest.join('\r\n\r\n');
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    const filename = /filename="([^"]*)"/.exec(head)?.[1];
    const type = /content-type: *(\S+)/i.exec(head)?.[1] ?? '';
    const value = filename === undefined ? utf8(content) : { filename, type, content };
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const entries = [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]);
  return Object.fromEntries(entries) as FormBody; // lists are of one kind: a field has either texts or files
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
