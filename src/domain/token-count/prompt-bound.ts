/**
 * Computes an upper bound of a request's billable input tokens. A token stands for at least one
 * byte of the request, so the size of the body bounds its text (messages, tools, schemas and future
 * dialect fields) without relying on a tokenizer. The JSON syntax makes up for what vendors add
 * around each message. Media are counted by the vendor's formula instead of their bytes, and input
 * that the upstream adds by the table of `paid-fields.ts`.
 */

import { isFields } from '../json-fields.ts';
import { USUAL_CONTEXT } from '../pricing/model-limits.ts';
import type { Added } from '../pricing/paid-fields.ts';
import { MediaTokenCounter } from './media-tokens.ts';
import { type MediaPart, type PromptVisitor, walkPrompt } from './prompt-parts.ts';
import { tokenFamilyOf } from './token-families.ts';

export interface PromptBound {
  /** Everything except audio. */
  readonly tokens: number;
  /** Audio tokens, which have a price of their own. */
  readonly audioTokens: number;
}

export interface SentPrompt {
  readonly body: unknown;
  /** Size of the body as sent. */
  readonly bytes: number;
  /** The most tokens of its text, if they were counted. */
  readonly textTokens?: number | undefined;
  /** The upstream's model name, which determines the tokens per image. */
  readonly model: string;
  /** What fields of the request add. */
  readonly added: Added;
  /** The model's context in tokens; undefined if unknown or if the request has several prompts. */
  readonly context: number | undefined;
}

/** Tokens that vendors add before a conversation, and before tools to explain their use. */
const OPENING_TOKENS = 64;
const TOOLS_TOKENS = 1_000;
/** Definitions of vendor tools are held by the vendor: the longest known is 3,000 tokens. */
const VENDOR_TOOL_TOKENS = 4_000;

/** Never throws. */
export function promptTokenBound(sent: SentPrompt): PromptBound {
  const { body, bytes, model, context, added } = sent;
  const media = new MediaBound(model);
  const isWhole = walkPrompt(body, media);
  const { audioTokens } = media;
  const textBytes = Math.max(0, bytes - media.bytes);
  const text =
    Math.min(textBytes, sent.textTokens ?? textBytes) +
    OPENING_TOKENS +
    toolTokens(body, added.vendorTools);
  if (!isWhole || media.isKeptElsewhere || added.reads)
    return { tokens: Math.max(text, context ?? USUAL_CONTEXT), audioTokens };
  const tokens = text + media.imageTokens + added.tokens;
  // No prompt is longer than the model's context; the second value allows for a larger one.
  const longest = context === undefined ? tokens : Math.max(context, Math.ceil(bytes / 4));
  return { tokens: Math.min(tokens, longest), audioTokens };
}

function toolTokens(body: unknown, vendorTools: number): number {
  if (!isFields(body)) return 0;
  const hasTools = [body.tools, body.functions].some(
    (list) => Array.isArray(list) && list.length > 0,
  );
  return hasTools ? TOOLS_TOKENS + vendorTools * VENDOR_TOOL_TOKENS : 0;
}

/** Bytes per second of audio: a telephone-quality WAV file, and the lowest common bit rate. */
const WAV_BYTES_PER_SEC = 16_000;
const SOUND_BYTES_PER_SEC = 2_000;
/** The base64 beginning of a WAV file. */
const WAV_START = 'UklGR';

class MediaBound implements PromptVisitor {
  /** Bytes of the body taken up by media. */
  bytes = 0;
  /** Tokens of images and files. */
  imageTokens = 0;
  audioTokens = 0;
  /** Set for a file referenced by id or URL, whose length is unknown. */
  isKeptElsewhere = false;
  readonly #counter: MediaTokenCounter;
  readonly #audioPerSec: number;

  constructor(model: string) {
    const family = tokenFamilyOf(model);
    this.#counter = new MediaTokenCounter(family, 'largest');
    this.#audioPerSec = family.audioTokensPerSec;
  }

  media(part: MediaPart): void {
    const { kind, data, isBare, isQuoted } = part;
    // Text passed to a model may merely begin like an image.
    if (isBare) return;
    const isInline = data !== '' && !/^https?:/.test(data);
    // Base64 takes as many bytes as characters: none of them is escaped or takes two bytes.
    const length = isInline ? data.length : 0;
    // May be read as text or as media, so it is counted as both.
    if (!isQuoted) this.bytes += length;
    if (kind === 'image') this.imageTokens += this.#counter.count(part);
    else if (kind === 'audio' && isInline) this.audioTokens += this.#soundTokens(data);
    else if (isInline) this.imageTokens += Math.ceil(length * 0.75);
    else this.isKeptElsewhere = true;
  }

  #soundTokens(data: string): number {
    const start = data.startsWith('data:') ? data.indexOf(',') + 1 : 0;
    const rate = data.startsWith(WAV_START, start) ? WAV_BYTES_PER_SEC : SOUND_BYTES_PER_SEC;
    return Math.ceil(((data.length * 0.75) / rate + 1) * this.#audioPerSec);
  }

  // All text is already included in the bytes.
  text(): void {}
  tokens(): void {}
  message(): void {}
  tool(): void {}
}
