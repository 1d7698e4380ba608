/** Token counts of images, by the size in their first bytes. */
import { describe, expect, it } from 'vitest';
import { imageSizeOf } from '../../../src/domain/token-count/image-size.ts';
import { imageTokens } from '../../../src/domain/token-count/media-tokens.ts';
import { tokenFamilyOf } from '../../../src/domain/token-count/token-families.ts';
import { pngOf } from './png.ts';

describe('images', () => {
  // From published formulas and from measured counts of the vendors.
  it.each([
    ['gpt-4o', 1024, 1024, '', 765],
    ['gpt-4o', 2048, 4096, '', 1105],
    ['gpt-4o', 4000, 3000, 'low', 85],
    ['gpt-4o-mini', 512, 512, '', 2833 + 5667],
    ['gpt-6-sol', 256, 256, '', 77],
    ['gpt-6-sol', 1024, 1024, '', 1229],
    ['gpt-6-sol', 1920, 1080, '', 2448],
    ['gpt-6-sol', 4032, 3024, 'auto', 14_364],
    ['gpt-6-sol', 4032, 3024, 'high', 3000],
    ['claude-opus-5-5', 1024, 1024, '', 1369],
    ['claude-opus-5-5', 1920, 1080, '', 2691],
    ['claude-sonnet-4-6', 8000, 8000, '', 1568],
    ['gemini-2.5-flash', 100, 100, '', 258],
    ['gemini-2.5-flash', 385, 100, '', 258],
    ['gemini-2.5-flash', 1024, 1024, '', 1032],
    ['gemini-4-argon', 3000, 3000, '', 1120],
  ])('%s counts %d x %d %s as %d tokens', (model, width, height, detail, tokens) => {
    expect(imageTokens(tokenFamilyOf(model).image, { width, height }, detail)).toBe(tokens);
  });

  it('reads the size from PNG, JPEG, GIF and WebP headers', () => {
    const gif = Buffer.concat([
      Buffer.from('GIF89a'),
      Buffer.from([0x40, 0x01, 0xf0, 0x00]),
      Buffer.alloc(30),
    ]);
    const jpeg = Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10]),
      Buffer.alloc(14),
      Buffer.from([0xff, 0xc0, 0x00, 0x11, 0x08, 0x00, 0xf0, 0x01, 0x40]),
      Buffer.alloc(20),
    ]);
    const webp = Buffer.alloc(40);
    webp.write('RIFF', 0);
    webp.write('WEBPVP8X', 8);
    webp.writeUIntLE(319, 24, 3);
    webp.writeUIntLE(239, 27, 3);
    const sizes = [gif, jpeg, webp].map((bytes) => imageSizeOf(bytes.toString('base64')));
    expect(imageSizeOf(pngOf(320, 240))).toEqual({ width: 320, height: 240 });
    expect(sizes).toEqual(Array(3).fill({ width: 320, height: 240 }));
  });

  it('returns no size for broken or unknown data', () => {
    const endless = Buffer.from([0xff, 0xd8, ...Array(60).fill(0xff)]).toString('base64');
    for (const data of ['', 'data:image/png;base64,', 'AAAA', 'A'.repeat(400), endless]) {
      expect(imageSizeOf(data)).toBeUndefined();
    }
  });
});
