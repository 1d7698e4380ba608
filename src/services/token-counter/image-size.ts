/**
 * Width and height from an image's header: PNG, JPEG, GIF and WebP. Reads the first 64 KB only and
 * never throws; undefined when the size is not there.
 */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const HEADER_BYTES = 65_536;

/** The size of an image given as a data URL or bare base64. */
export function imageSizeOf(data: string): ImageSize | undefined {
  const comma = data.startsWith('data:') ? data.indexOf(',') + 1 : 0;
  const header = Buffer.from(
    data.slice(comma, comma + Math.ceil((HEADER_BYTES * 4) / 3)),
    'base64',
  );
  if (header.length < 30) return undefined;
  const size = readPng(header) ?? readGif(header) ?? readWebp(header) ?? readJpeg(header);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function readPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'GIF8') return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') {
    return undefined;
  }
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Start-of-frame markers carry the size; C4, C8 and CC are tables that share their range. */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let offset = 2;
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes.readUInt8(offset + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) };
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return undefined;
}
