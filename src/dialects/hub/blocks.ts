/**
 * What messages are made of, whoever speaks: the form every dialect is read into and written from.
 * Blocks keep the order in which they were said; nothing here knows how a dialect spells them.
 */
import type { JsonObject } from '../../json/read-json.ts';
import type { Extras, Origin, Vendor } from './extras.ts';

/** An opaque proof that a model said something; only the family that made it can read it. */
export interface Signature {
  readonly origin: Vendor;
  readonly value: string;
}

/** Where an image, a sound or a file is. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly kind: 'text'; readonly text: string }
  /** Uploaded before, to one vendor: no other can resolve it. */
  | {
      readonly kind: 'stored';
      readonly origin: Vendor;
      readonly id: string;
      readonly mediaType?: string;
    };

interface Common {
  /** A prompt cache breakpoint after this block, in Anthropic's words (`{type:"ephemeral",ttl?}`). */
  readonly cache?: JsonObject;
  readonly extras?: Extras;
}

/** A source the model quotes; `start` and `end` count UTF-16 units of the text it belongs to. */
export interface Citation {
  readonly url: string;
  readonly title?: string;
  readonly quote?: string;
  readonly start?: number;
  readonly end?: number;
}

export interface TextBlock extends Common {
  readonly kind: 'text';
  readonly text: string;
  readonly signature?: Signature;
  readonly citations?: readonly Citation[];
}

export interface ImageBlock extends Common {
  readonly kind: 'image';
  readonly source: MediaSource;
  /** OpenAI's: low, high, auto. */
  readonly detail?: string;
}

export interface AudioBlock extends Common {
  readonly kind: 'audio';
  readonly source: MediaSource;
}

/** Documents, and videos too: the media type tells. */
export interface FileBlock extends Common {
  readonly kind: 'file';
  readonly source: MediaSource;
  readonly name?: string;
}

export interface ToolCallBlock extends Common {
  readonly kind: 'tool_call';
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it; for a `custom` tool the text itself. */
  readonly args: string;
  readonly custom?: true;
  readonly signature?: Signature;
}

export type ResultContent = TextBlock | ImageBlock | AudioBlock | FileBlock | ForeignBlock;

export interface ToolResultBlock extends Common {
  readonly kind: 'tool_result';
  readonly callId: string;
  /** The tool's name where the dialect says it; Gemini matches by it. */
  readonly name?: string;
  readonly content: readonly ResultContent[];
  readonly isError?: true;
}

export interface ThinkingBlock extends Common {
  readonly kind: 'thinking';
  /** Empty where the model keeps its thoughts to itself and only signs them. */
  readonly text: string;
  readonly signature?: Signature;
}

export interface RedactedThinkingBlock extends Common {
  readonly kind: 'redacted_thinking';
  readonly origin: Vendor;
  readonly data: string;
}

/** The model declines, in words. */
export interface RefusalBlock extends Common {
  readonly kind: 'refusal';
  readonly text: string;
}

/** Something only its own family understands, kept as it came. */
export interface ForeignBlock extends Common {
  readonly kind: 'foreign';
  readonly origin: Origin;
  readonly value: JsonObject;
  /** What it says, for all others; without it others are not told. */
  readonly text?: string;
}

export type Block =
  | TextBlock
  | ImageBlock
  | AudioBlock
  | FileBlock
  | ToolCallBlock
  | ToolResultBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | RefusalBlock
  | ForeignBlock;

/** The texts of blocks, joined; media and calls are passed by. */
export function textOfBlocks(blocks: readonly Block[], separator: string): string {
  return blocks
    .flatMap((block) => (block.kind === 'text' ? [block.text] : []))
    .filter((text) => text !== '')
    .join(separator);
}

/** A tool's arguments as an object: what is no object, or no JSON at all, is an empty one. */
export function argsObject(args: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(args);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as JsonObject) : {};
  } catch {
    // Models cut off in the middle leave half an object behind; the call itself still counts.
    return {};
  }
}
