/** Reads Anthropic's content blocks of requests and answers, one function per kind. */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import type {
  Block,
  Citation,
  FileBlock,
  MediaSource,
  RefusalBlock,
  ResultContent,
  ThinkingBlock,
} from '../hub/blocks.ts';
import { unknownFields } from '../hub/extras.ts';
import { base64Source } from '../hub/request/media.ts';
import { unpackSignature } from '../hub/thinking/signature.ts';

/** A string is equivalent to one text block. */
export function readBlocks(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return objectsIn({ content }, 'content').flatMap(readBlock);
}

export function readBlock(block: JsonObject): readonly Block[] {
  switch (block.type) {
    // Type names of other dialects, which some clients mix in.
    case 'text':
    case 'input_text':
    case 'output_text':
      return readText(block);
    case 'image':
      return readImage(block);
    case 'document':
      return readDocument(block);
    case 'tool_use':
      return readToolUse(block);
    case 'tool_result':
      return [readToolResult(block)];
    case 'thinking':
      return [readThinking(block)];
    case 'redacted_thinking':
      return readRedacted(block);
    case 'search_result':
      return [{ kind: 'foreign', origin: 'anthropic', value: block, text: searchText(block) }];
    default:
      return [{ kind: 'foreign', origin: 'anthropic', value: block }];
  }
}

function cacheOf(block: JsonObject): JsonObject | undefined {
  return objectIn(block, 'cache_control');
}

const KNOWN_TEXT = new Set(['type', 'text', 'cache_control', 'citations']);

function readText(block: JsonObject): readonly Block[] {
  const text = textIn(block, 'text');
  if (text === undefined) return [];
  const citations = objectsIn(block, 'citations').flatMap(readCitation);
  return [
    {
      kind: 'text',
      text,
      cache: cacheOf(block),
      ...(citations.length > 0 ? { citations } : {}),
      ...unknownFields('anthropic', block, KNOWN_TEXT),
    },
  ];
}

/** Only citations with a URL; positions in the request's documents mean nothing elsewhere. */
export function readCitation(citation: JsonObject): readonly Citation[] {
  const url = textIn(citation, 'url');
  if (url === undefined) return [];
  return [{ url, title: textIn(citation, 'title'), quote: textIn(citation, 'cited_text') }];
}

function readSource(source: JsonObject | undefined): MediaSource | undefined {
  const mediaType = textIn(source, 'media_type') ?? '';
  const data = textIn(source, 'data');
  const url = textIn(source, 'url');
  const id = textIn(source, 'file_id');
  if (source?.type === 'text' && data !== undefined) return { kind: 'text', text: data };
  if (data !== undefined) return base64Source(data, mediaType);
  if (url !== undefined) return { kind: 'url', url };
  return id === undefined ? undefined : { kind: 'stored', origin: 'anthropic', id };
}

function readImage(block: JsonObject): readonly Block[] {
  const source = readSource(objectIn(block, 'source'));
  return source === undefined ? [] : [{ kind: 'image', source, cache: cacheOf(block) }];
}

const KNOWN_DOCUMENT = new Set(['type', 'source', 'title', 'cache_control']);

function readDocument(block: JsonObject): readonly Block[] {
  const given = objectIn(block, 'source');
  const common: Pick<FileBlock, 'kind' | 'name' | 'cache' | 'extras'> = {
    kind: 'file',
    name: textIn(block, 'title'),
    cache: cacheOf(block),
    ...unknownFields('anthropic', block, KNOWN_DOCUMENT),
  };
  const source = readSource(given);
  if (source !== undefined) return [{ ...common, source }];
  // A document that consists of blocks is replaced by its blocks.
  return readBlocks(given?.content);
}

function readToolUse(block: JsonObject): readonly Block[] {
  const name = textIn(block, 'name');
  if (name === undefined) return [];
  const args = JSON.stringify(objectIn(block, 'input') ?? {});
  return [{ kind: 'tool_call', id: textIn(block, 'id') ?? '', name, args, cache: cacheOf(block) }];
}

function readToolResult(block: JsonObject): Block {
  return {
    kind: 'tool_result',
    callId: textIn(block, 'tool_use_id') ?? '',
    content: readBlocks(block.content).filter(isResultContent),
    ...(block.is_error === true ? { isError: true } : {}),
    cache: cacheOf(block),
  };
}

function isResultContent(block: Block): block is ResultContent {
  return ['text', 'image', 'audio', 'file', 'foreign'].includes(block.kind);
}

function readThinking(block: JsonObject): ThinkingBlock {
  const field = textIn(block, 'signature');
  const signature = field === undefined ? {} : { signature: unpackSignature(field, 'anthropic') };
  return { kind: 'thinking', text: textIn(block, 'thinking') ?? '', ...signature };
}

function readRedacted(block: JsonObject): readonly Block[] {
  const { origin, value } = unpackSignature(textIn(block, 'data') ?? '', 'anthropic');
  return [{ kind: 'redacted_thinking', origin, data: value }];
}

function searchText(block: JsonObject): string {
  const lines = [textIn(block, 'title'), textIn(block, 'source')];
  const texts = objectsIn(block, 'content').map((part) => textIn(part, 'text'));
  return [...lines, ...texts].filter((line) => line !== undefined).join('\n');
}

/** Why Claude declines, from `stop_details` of an answer or of the frame that ends one. */
export function readRefusal(holder: JsonObject): readonly RefusalBlock[] {
  const details = objectIn(holder, 'stop_details');
  const text = textIn(details, 'explanation') ?? textIn(details, 'category');
  return details?.type !== 'refusal' || text === undefined ? [] : [{ kind: 'refusal', text }];
}
