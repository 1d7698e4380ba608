/** Tokens of images, audio and files by formula: their bytes are never passed to the tokenizer. */
import { type ImageSize, imageSizeOf } from './image-size.ts';
import type { MediaPart } from './prompt-parts.ts';
import type { ImageRule, TokenFamily } from './token-families.ts';

/** Remote images are not fetched for counting; they are assumed to have this size. */
const ASSUMED_SIZE: ImageSize = { width: 1024, height: 1024 };
/** Together these yield the maximum of every rule; vendors scale down larger images. */
const LARGEST_SIZES: readonly ImageSize[] = [
  { width: 2048, height: 768 },
  { width: 4096, height: 4096 },
];
const FILE_TOKENS = 5000;
/** PCM, 24 kHz mono, 16 bit; compressed audio is underestimated rather than overestimated. */
const AUDIO_BYTES_PER_SEC = 48_000;

/** Beyond this number, the images of a request are not measured individually. */
const MAX_MEASURED = 100;

/** Counts the media of one prompt. */
export class MediaTokenCounter {
  readonly #family: TokenFamily;
  readonly #unmeasured: readonly ImageSize[];
  #measured = 0;

  /** `unmeasured`: the size assumed for an image of unknown size. */
  constructor(family: TokenFamily, unmeasured: 'usual' | 'largest' = 'usual') {
    this.#family = family;
    this.#unmeasured = unmeasured === 'usual' ? [ASSUMED_SIZE] : LARGEST_SIZES;
  }

  count(part: MediaPart): number {
    if (part.kind === 'file') return FILE_TOKENS;
    if (part.kind === 'audio') return audioTokens(part.data, this.#family);
    const size = this.#sizeOf(part);
    const sizes = size === undefined ? this.#unmeasured : [size];
    return Math.max(...sizes.map((one) => imageTokens(this.#family.image, one, part.detail)));
  }

  #sizeOf({ data }: MediaPart): ImageSize | undefined {
    const isFlat = this.#family.image.kind === 'flat' || /^https?:/.test(data);
    if (isFlat || this.#measured >= MAX_MEASURED) return undefined;
    this.#measured += 1;
    return imageSizeOf(data);
  }
}

function audioTokens(data: string, family: TokenFamily): number {
  const seconds = (data.length * 0.75) / AUDIO_BYTES_PER_SEC;
  return Math.ceil(Math.max(1, seconds) * family.audioTokensPerSec);
}

/** Tokens of an image of this size; with `detail: low` only the base, for rules that have one. */
export function imageTokens(rule: ImageRule, size: ImageSize, detail: string): number {
  const isLow = detail === 'low';
  switch (rule.kind) {
    case 'flat':
      return isLow ? (rule.low ?? rule.tokens) : rule.tokens;
    case 'squares':
      return squareTokens(rule, size) * rule.tokens;
    case 'tiles':
      return isLow ? rule.base : rule.base + tilesOf(size) * rule.tile;
    case 'patches':
      return Math.ceil(patchesOf(rule, size, detail) * rule.factor);
  }
}

function squareTokens({ side, small }: Extract<ImageRule, { kind: 'squares' }>, size: ImageSize) {
  if (Math.max(size.width, size.height) <= small) return 1;
  return Math.ceil(size.width / side) * Math.ceil(size.height / side);
}

function tilesOf(size: ImageSize): number {
  const fit = Math.min(1, 2048 / Math.max(size.width, size.height));
  const short = Math.min(1, 768 / (Math.min(size.width, size.height) * fit));
  const scale = fit * short;
  return Math.ceil((size.width * scale) / 512) * Math.ceil((size.height * scale) / 512);
}

function patchesOf(
  rule: Extract<ImageRule, { kind: 'patches' }>,
  size: ImageSize,
  detail: string,
): number {
  const scale = Math.min(1, (rule.longEdge ?? Infinity) / Math.max(size.width, size.height));
  const across = Math.ceil((size.width * scale) / rule.side);
  const down = Math.ceil((size.height * scale) / rule.side);
  const limit = detail === 'high' ? (rule.maxHighPatches ?? rule.maxPatches) : rule.maxPatches;
  return Math.min(limit, across * down);
}
