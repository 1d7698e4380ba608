/**
 * How many tokens of input a request can be billed at most. A token stands for at least one byte of
 * what was sent, so the bytes of the body bound its text: messages, tools, schemas and whatever a
 * dialect adds later, with nothing to list and no tokenizer to trust. The signs of JSON cover what
 * vendors put around each message. Media count by their vendor's formula instead of their bytes.
 */

import { USUAL_CONTEXT } from '../pricing/price-book/model-limits.ts';
import { MediaCounter } from './media-tokens.ts';
import { isFields, type MediaPart, type PromptVisitor, walkPrompt } from './prompt-parts.ts';
import { tokenFamilyOf } from './token-families.ts';

export interface PromptBound {
  /** Everything but sounds. */
  readonly tokens: number;
  /** Sounds, which have a price of their own. */
  readonly audioTokens: number;
}

export interface SentPrompt {
  readonly body: unknown;
  /** Of the body as it was sent. */
  readonly bytes: number;
  /** The upstream's name of the model: decides what pictures take. */
  readonly model: string;
  /** Of the model, in tokens; undefined where it is unknown, or the request is several prompts. */
  readonly context: number | undefined;
}

/** What vendors put before a conversation, and before tools to explain their use. */
const OPENING_TOKENS = 64;
const TOOLS_TOKENS = 1_000;
/** A tool of the vendor's own has its definition there: the longest known is 3,000. */
const VENDOR_TOOL_TOKENS = 4_000;

/** Never throws. */
export function boundPrompt({ body, bytes, model, context }: SentPrompt): PromptBound {
  const media = new MediaBound(model);
  const isWhole = walkPrompt(body, media);
  const text = Math.max(0, bytes - media.bytes) + OPENING_TOKENS + toolTokens(body);
  if (!isWhole || media.isKeptElsewhere || readsElsewhere(body))
    return { tokens: Math.max(text, context ?? USUAL_CONTEXT), audioTokens: media.audioTokens };
  const tokens = text + media.imageTokens;
  // No prompt is longer than the model's context. The second figure is for a context that has grown.
  const longest = context === undefined ? tokens : Math.max(context, Math.ceil(bytes / 4));
  return { tokens: Math.min(tokens, longest), audioTokens: media.audioTokens };
}

function toolTokens(body: unknown): number {
  if (!isFields(body)) return 0;
  const tools = [body.tools, body.functions].flatMap((list) => (Array.isArray(list) ? list : []));
  if (tools.length === 0) return 0;
  return TOOLS_TOKENS + tools.filter(isVendorTool).length * VENDOR_TOOL_TOKENS;
}

const CLIENT_TOOLS: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom', 'namespace']);

function isVendorTool(tool: unknown): boolean {
  return isFields(tool) && !CLIENT_TOOLS.has(tool.type);
}

/** Tools with which the upstream itself reads on, by the beginning of their `type`. */
const READING_TOOLS = /^(web_search|web_fetch|file_search|code_interpreter|code_execution|mcp)/;
const READING_FIELDS = [
  'googleSearch',
  'google_search',
  'googleSearchRetrieval',
  'google_search_retrieval',
  'urlContext',
  'url_context',
  'codeExecution',
  'code_execution',
  'fileSearch',
  'file_search',
] as const;

/** Whether the model is shown more than the request carries: what its upstream keeps or looks up. */
function readsElsewhere(body: unknown): boolean {
  if (!isFields(body)) return false;
  const { previous_response_id, conversation, prompt, tools, cachedContent, cached_content } = body;
  const kept = [previous_response_id, conversation, cachedContent, cached_content];
  if (kept.some((value) => value !== undefined && value !== null)) return true;
  if (isFields(prompt) || isFields(body.web_search_options)) return true;
  return Array.isArray(tools) && tools.some(isReadingTool);
}

function isReadingTool(tool: unknown): boolean {
  if (!isFields(tool)) return false;
  if (typeof tool.type === 'string') return READING_TOOLS.test(tool.type);
  return READING_FIELDS.some((name) => isFields(tool[name]));
}

/** Bytes a second of sound: of a WAV file of a telephone line, and of the lowest usual bit rate. */
const WAV_BYTES_PER_SEC = 16_000;
const SOUND_BYTES_PER_SEC = 2_000;
/** The first letters of base64 of a WAV file. */
const WAV_START = 'UklGR';

class MediaBound implements PromptVisitor {
  /** Of the body, that the media take. */
  bytes = 0;
  /** Of pictures and files. */
  imageTokens = 0;
  audioTokens = 0;
  /** A file that is named by an id or an address: its length is unknown. */
  isKeptElsewhere = false;
  readonly #counter: MediaCounter;
  readonly #audioPerSec: number;

  constructor(model: string) {
    const family = tokenFamilyOf(model);
    this.#counter = new MediaCounter(family, 'largest');
    this.#audioPerSec = family.audioTokensPerSec;
  }

  media(part: MediaPart): void {
    const { kind, data, isBare, isQuoted } = part;
    // What a model is shown as text may begin like a picture.
    if (isBare) return;
    const isInline = data !== '' && !/^https?:/.test(data);
    // Base64 is as long as its text: no character of it is escaped, or takes two bytes.
    const length = isInline ? data.length : 0;
    // Shown as text or as what it is: bounded by both.
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

  // All text is in the bytes already.
  text(): void {}
  tokens(): void {}
  message(): void {}
  tool(): void {}
}
