import { multiply, nearestNumber, rationalOf } from './decimal.ts';

/** Price factors of image sizes and of `hd`, as set by the vendor of dall-e-2 and dall-e-3. */
const IMAGE_SIZE_FACTORS: ReadonlyMap<string, number> = new Map([
  ['256x256', 0.4],
  ['512x512', 0.45],
  ['1024x1024', 1],
  ['1024x1792', 2],
  ['1792x1024', 2],
]);
const LARGE_IMAGE_SIZES: ReadonlySet<string> = new Set(['1024x1792', '1792x1024']);

export interface ImageSettings {
  readonly model: string;
  readonly size?: string | undefined;
  readonly quality?: string | undefined;
  readonly n?: number | undefined;
}

/** The multiplier on a per-call price for an image request: n x size x quality. */
export function imagePriceFactor(image: ImageSettings): number {
  const size = image.size ?? '1024x1024';
  const isHd = image.model === 'dall-e-3' && image.quality === 'hd';
  const quality = isHd ? (LARGE_IMAGE_SIZES.has(size) ? 1.5 : 2) : 1;
  const sizeFactor = IMAGE_SIZE_FACTORS.get(size) ?? 1;
  return nearestNumber(
    multiply(rationalOf(image.n ?? 1), rationalOf(sizeFactor), rationalOf(quality)),
  );
}

/** Assumed tokens per image without reported usage, at a per-token price: 0.0025 USD at ratio 1. */
const TOKENS_PER_IMAGE = 1250;

/** Image tokens of a request whose upstream reports none; also scaled by n, size and quality. */
export function drawnImageTokens(image: ImageSettings): number {
  return Math.ceil(imagePriceFactor(image) * TOKENS_PER_IMAGE);
}
