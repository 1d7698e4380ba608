/** Shared by image, audio and rerank tests: forms, files, and a tenant with a vendor's channel. */

import type { Site, SiteAnswer } from '../../support/site.ts';
import { addRow, addTenant, type Tenant, type TenantOptions } from '../tenant.ts';

/** A tenant whose model has a price per call in USD instead of ratios. */
export async function callAsTenant(
  site: Site,
  usd: number,
  options: TenantOptions = {},
): Promise<Tenant> {
  const tenant = await addTenant(site, { ...options, price: 'none' });
  await addRow(site, 'ModelPrice', tenant.model, usd);
  return tenant;
}

/** A WAV of this many seconds: silence, 1 kHz, 8 bit, mono, so that a minute is small. */
export function wav(seconds: number): Buffer {
  const data = Math.round(seconds * 1000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(1000, 24);
  head.writeUInt32LE(1000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(data, 40);
  return Buffer.concat([head, Buffer.alloc(data)]);
}

export const PICTURE = Buffer.from('89504e470d0a1a0a00ff00fe0d0a2d2d', 'hex');

export interface Upload {
  readonly name: string;
  readonly value: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
}

/** The form as bytes, in the given order. */
export function formBody(parts: readonly Upload[]): {
  rawBody: Buffer;
  headers: Record<string, string>;
} {
  const boundary = '----test-boundary';
  const pieces = parts.flatMap(({ name, value, filename, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`,
    filename === undefined ? '' : `; filename="${filename}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    value,
    '\r\n',
  ]);
  const all = [...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece));
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { rawBody: Buffer.concat(all), headers };
}

export function sendForm(
  tenant: Tenant,
  path: string,
  parts: readonly Upload[],
): Promise<SiteAnswer> {
  return tenant.site.call({ path, key: tenant.token.key, ...formBody(parts) });
}

export function send(tenant: Tenant, path: string, body: object): Promise<SiteAnswer> {
  return tenant.site.call({ path, key: tenant.token.key, body: { model: tenant.model, ...body } });
}

/** The events of a stream, parsed. */
export function eventsOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)));
}

/** The detail of the charge's log entry. */
export async function logged(tenant: Tenant, requestId: string): Promise<Record<string, unknown>> {
  return JSON.parse((await tenant.site.logOf(requestId))?.other ?? '{}');
}
