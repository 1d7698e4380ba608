/** Writes Gemini's parts, one function per kind of block. */
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import {
  type Block,
  type MediaSource,
  parsedToolArguments,
  type Signature,
  type ToolCallBlock,
  type ToolResultBlock,
  textOfBlocks,
} from '../hub/blocks.ts';
import { portableCallId, vendorToolName } from '../hub/tools/tool-names.ts';
import type { GeminiFacts } from './models.ts';
import { GEMINI_TOOL_NAMES } from './tool-names.ts';

export interface PartContext {
  readonly facts: GeminiFacts;
  /** Tool names by call id, because Gemini matches results by name. */
  readonly names: ReadonlyMap<string, string>;
  readonly signatureOf?: ((callId: string) => string | undefined) | undefined;
}

/**
 * Replaces a signature that was lost or comes from another vendor's model
 * (ai.google.dev/gemini-api/docs/thought-signatures, "FAQs").
 */
const ANY_SIGNATURE = 'skip_thought_signature_validator';

/** The parts of one turn. Expects tool results in the order of their calls, grouped in one turn. */
export function writeParts(blocks: readonly Block[], context: PartContext): readonly JsonObject[] {
  const writer = new PartWriter(context);
  return [...blocks.flatMap((block) => writer.write(block)), ...writer.end()];
}

class PartWriter {
  readonly #context: PartContext;
  /** The signature of preceding thinking; it is set on the part that follows. */
  #pending: string | undefined;
  #hasSignedCall = false;

  constructor(context: PartContext) {
    this.#context = context;
  }

  write(block: Block): readonly JsonObject[] {
    switch (block.kind) {
      case 'text':
        return this.#text(block.text, block.signature);
      case 'refusal':
        return this.#text(block.text, undefined);
      case 'image':
      case 'audio':
      case 'file':
        return writeMedia(block.source, block.kind === 'file' ? block.name : undefined);
      case 'tool_call':
        return [this.#call(block)];
      case 'tool_result':
        return this.#result(block);
      case 'thinking':
        return this.#thought(block.text, block.signature);
      // Only the vendor that issued it can read it.
      case 'redacted_thinking':
        return [];
      case 'foreign':
        if (block.origin === 'gemini') return [block.value];
        return block.text === undefined ? [] : this.#text(block.text, undefined);
      default:
        return block satisfies never;
    }
  }

  /** A signature after the last text gets a part of its own. */
  end(): readonly JsonObject[] {
    return this.#pending === undefined ? [] : [{ text: '', thoughtSignature: this.#pending }];
  }

  #takePending(): string | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  #text(text: string, signature: Signature | undefined): readonly JsonObject[] {
    const own = ownValue(signature);
    if (text === '' && own === undefined) return [];
    const signed = own ?? this.#takePending();
    return [{ text, ...(signed === undefined ? {} : { thoughtSignature: signed }) }];
  }

  /** Thinking signed by another vendor is dropped. */
  #thought(text: string, signature: Signature | undefined): readonly JsonObject[] {
    if (signature !== undefined && signature.origin !== 'gemini') return [];
    this.#pending = ownValue(signature) ?? this.#pending;
    return text === '' ? [] : [{ text, thought: true }];
  }

  /** Only the first call of a group needs a signature. */
  #call(call: ToolCallBlock): JsonObject {
    const { facts, signatureOf } = this.#context;
    const signature = ownValue(call.signature) ?? this.#takePending() ?? signatureOf?.(call.id);
    const isFirst = !this.#hasSignedCall;
    this.#hasSignedCall = true;
    const signed = signature ?? (facts.signsCalls && isFirst ? ANY_SIGNATURE : undefined);
    const args = call.custom ? { input: call.args } : parsedToolArguments(call.args);
    const functionCall = {
      id: portableCallId(call.id),
      name: vendorToolName(call.name, GEMINI_TOOL_NAMES),
      args,
    };
    return { functionCall, ...(signed === undefined ? {} : { thoughtSignature: signed }) };
  }

  #result(result: ToolResultBlock): readonly JsonObject[] {
    const { names, facts } = this.#context;
    const name = names.get(result.callId) ?? result.name ?? 'tool';
    const media = result.content.flatMap((block) =>
      'source' in block ? writeMedia(block.source, undefined) : [],
    );
    const inside = facts.resultMedia && media.length > 0 ? { parts: media } : {};
    const functionResponse = {
      id: portableCallId(result.callId),
      name: vendorToolName(name, GEMINI_TOOL_NAMES),
      response: responseOf(result),
      ...inside,
    };
    return [{ functionResponse }, ...(facts.resultMedia ? [] : media)];
  }
}

function ownValue(signature: Signature | undefined): string | undefined {
  return signature?.origin === 'gemini' ? signature.value : undefined;
}

/** A tool response must be an object. */
function responseOf(result: ToolResultBlock): JsonObject {
  const text = textOfBlocks(result.content, '\n');
  if (result.isError) return { error: text };
  const parsed = text.startsWith('{') ? parseJson(text) : undefined;
  return isObject(parsed) ? parsed : { result: text };
}

/** URLs are kept; those that Google cannot read have already been fetched. */
function writeMedia(source: MediaSource, name: string | undefined): readonly JsonObject[] {
  switch (source.kind) {
    case 'base64':
      return [{ inlineData: { mimeType: mimeType(source.mediaType), data: source.data } }];
    case 'url':
    case 'stored':
      if (source.kind === 'stored' && source.origin !== 'gemini') return [];
      return [
        {
          fileData: {
            ...(source.mediaType === undefined ? {} : { mimeType: source.mediaType }),
            fileUri: source.kind === 'url' ? source.url : source.id,
          },
        },
      ];
    case 'text':
      return [{ text: name === undefined ? source.text : `${name}\n${source.text}` }];
    default:
      return source satisfies never;
  }
}

function mimeType(mediaType: string): string {
  return mediaType === 'audio/mpeg' ? 'audio/mp3' : mediaType;
}

/** Whether Google fetches this URL itself, which it does for YouTube videos. */
export function isFetchedByGoogle(url: string): boolean {
  return /^https:\/\/(www\.)?(youtube\.com\/watch|youtu\.be\/)/.test(url);
}
