/** Shared by image, audio and rerank tests: forms, files, and a lane with a vendor's channel. */

import type { Site, SiteAnswer } from '../../support/site.ts';
import { addRow, aLane, type Lane, type LaneOptions } from '../lane.ts';

/** A lane whose model has a price per call in USD instead of ratios. */
export async function callLane(site: Site, usd: number, options: LaneOptions = {}): Promise<Lane> {
  const lane = await aLane(site, { ...options, price: 'none' });
  await addRow(site, 'ModelPrice', lane.model, usd);
  return lane;
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

export function sendForm(lane: Lane, path: string, parts: readonly Upload[]): Promise<SiteAnswer> {
  return lane.site.call({ path, key: lane.token.key, ...formBody(parts) });
}

export function send(lane: Lane, path: string, body: object): Promise<SiteAnswer> {
  return lane.site.call({ path, key: lane.token.key, body: { model: lane.model, ...body } });
}

/** The events of a stream, parsed. */
export function eventsOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)));
}

/** The detail of the charge's log entry. */
export async function logged(lane: Lane, requestId: string): Promise<Record<string, unknown>> {
  return JSON.parse((await lane.site.logOf(requestId))?.other ?? '{}');
}
