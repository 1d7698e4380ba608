/**
 * How model families count tokens, relative to o200k_base: dated data (2026-11). The first matching
 * row applies. Sources: vendors' token counting pages and the project's own measurements.
 */
import { memoizePerName } from '../memoize-per-name.ts';

/** Tokens of one image, computed from its size in pixels or fixed. */
export type ImageRule =
  | { readonly kind: 'flat'; readonly tokens: number; readonly low?: number }
  /** `tokens` per square of `side` pixels; once for an image of at most `small` on both sides. */
  | {
      readonly kind: 'squares';
      readonly side: number;
      readonly small: number;
      readonly tokens: number;
    }
  /** Scaled to fit 2048, short side to 768, then base + tile per 512 x 512. */
  | { readonly kind: 'tiles'; readonly base: number; readonly tile: number }
  /**
   * Patches of `side` pixels, at most `maxPatches`, times `factor`; `longEdge` limits the size
   * first.
   */
  | {
      readonly kind: 'patches';
      readonly side: number;
      readonly factor: number;
      readonly maxPatches: number;
      /** The limit under `detail: high`, if different. */
      readonly maxHighPatches?: number;
      readonly longEdge?: number;
    };

export interface TokenFamily {
  readonly name: RegExp;
  /** Tokens per o200k token in Latin text, and in Chinese, Japanese or Korean text. */
  readonly latin: number;
  readonly cjk: number;
  /** Per message, including the role. */
  readonly messageTokens: number;
  readonly toolTokens: number;
  readonly replyTokens: number;
  readonly audioTokensPerSec: number;
  readonly image: ImageRule;
}

const OPENAI = {
  latin: 1,
  cjk: 1,
  messageTokens: 4,
  toolTokens: 8,
  replyTokens: 3,
  audioTokensPerSec: 10,
} as const;
const CLAUDE = { messageTokens: 3, toolTokens: 3, replyTokens: 0, audioTokensPerSec: 10 } as const;

const SMALL_PATCHES = { kind: 'patches', side: 32, maxPatches: 1536 } as const;

const FAMILIES: readonly TokenFamily[] = [
  { name: /^gpt-4o-mini/, ...OPENAI, image: { kind: 'tiles', base: 2833, tile: 5667 } },
  { name: /^(gpt-4\.1|gpt-5)-mini/, ...OPENAI, image: { ...SMALL_PATCHES, factor: 1.62 } },
  { name: /^(gpt-4\.1|gpt-5)-nano/, ...OPENAI, image: { ...SMALL_PATCHES, factor: 2.46 } },
  { name: /^o4-mini/, ...OPENAI, image: { ...SMALL_PATCHES, factor: 1.72 } },
  {
    name: /^gpt-5\.[4-9]/,
    ...OPENAI,
    image: { kind: 'patches', side: 32, factor: 1.2, maxPatches: 10_000, maxHighPatches: 2500 },
  },
  {
    name: /^gpt-[6-9]/,
    ...OPENAI,
    image: { kind: 'patches', side: 32, factor: 1.2, maxPatches: Infinity, maxHighPatches: 2500 },
  },
  { name: /^gpt-5/, ...OPENAI, image: { kind: 'tiles', base: 70, tile: 140 } },
  { name: /^o[13]/, ...OPENAI, image: { kind: 'tiles', base: 75, tile: 150 } },
  { name: /^(computer-use|gpt-image)/, ...OPENAI, image: { kind: 'tiles', base: 65, tile: 129 } },
  {
    name: /claude-(opus-4[-.][78]|(opus|sonnet|haiku|fable|mythos)-[5-9])/,
    ...CLAUDE,
    latin: 1.4,
    cjk: 1.4,
    image: { kind: 'patches', side: 28, factor: 1, maxPatches: 4784, longEdge: 2576 },
  },
  {
    name: /claude/,
    ...CLAUDE,
    latin: 1.1,
    cjk: 1.35,
    image: { kind: 'patches', side: 28, factor: 1, maxPatches: 1568, longEdge: 1568 },
  },
  {
    name: /^gemini-[12]/,
    ...OPENAI,
    audioTokensPerSec: 32,
    image: { kind: 'squares', side: 768, small: 384, tokens: 258 },
  },
  {
    name: /^gemini/,
    ...OPENAI,
    audioTokensPerSec: 32,
    image: { kind: 'flat', tokens: 1120, low: 280 },
  },
  // The vendor's rule of thumb (0.3 tokens per letter, 0.6 per Chinese character) against o200k.
  { name: /deepseek/, ...OPENAI, latin: 1.2, cjk: 0.8, image: { kind: 'flat', tokens: 384 } },
  { name: /^glm/, ...OPENAI, image: { kind: 'flat', tokens: 1047 } },
  {
    name: /^qwen/,
    ...OPENAI,
    image: { kind: 'patches', side: 28, factor: 1, maxPatches: 1280 },
  },
];

/** gpt-4o and related models, and every name without a row. */
const OTHERS: TokenFamily = {
  name: /(?:)/,
  ...OPENAI,
  image: { kind: 'tiles', base: 85, tile: 170 },
};

export const tokenFamilyOf: (model: string) => TokenFamily = memoizePerName(
  (model) => FAMILIES.find((family) => family.name.test(model)) ?? OTHERS,
);
