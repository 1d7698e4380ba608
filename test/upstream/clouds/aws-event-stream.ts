/** Encodes the AWS event stream: frames of headers and payload, each with two checksums. */
import { crc32 } from 'node:zlib';

const TEXT = 7;

function header(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([
    Buffer.of(nameBytes.length),
    nameBytes,
    Buffer.of(TEXT),
    length,
    valueBytes,
  ]);
}

/** Encodes a frame with these text headers and this payload. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const frame = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(frame));
  return Buffer.concat([frame, checksum]);
}

export function eventFrame(name: string, payload: unknown): Buffer {
  const kind = { ':event-type': name, ':content-type': 'application/json' };
  return awsFrame({ ...kind, ':message-type': 'event' }, JSON.stringify(payload));
}

/** Padding of varying length hides word sizes from eavesdroppers. */
const PADDING = 'abcdefghijklmnopqrstuvwxyz';

/** Wraps an event of the model's own stream. */
export function chunkFrame(event: unknown): Buffer {
  const text = JSON.stringify(event);
  const bytes = Buffer.from(text).toString('base64');
  return eventFrame('chunk', { bytes, p: PADDING.slice(0, text.length % PADDING.length) });
}

export function exceptionFrame(type: string, message: string): Buffer {
  const kind = { ':exception-type': type, ':content-type': 'application/json' };
  return awsFrame({ ...kind, ':message-type': 'exception' }, JSON.stringify({ message }));
}
