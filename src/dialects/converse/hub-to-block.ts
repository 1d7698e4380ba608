/** Writes Converse's content blocks, one function per kind. A block is an object with one field. */
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import {
  type Block,
  type FileBlock,
  type MediaSource,
  parsedToolArguments,
  type ToolResultBlock,
} from '../hub/blocks.ts';
import { portableCallId, sha256Hex, vendorToolName } from '../hub/tools/tool-names.ts';
import type { ConverseFacts } from './models.ts';
import { CONVERSE_TOOL_NAMES } from './tool-names.ts';

/** A cache point follows the block it applies to. */
export function writeConverseBlocks(
  blocks: readonly Block[],
  facts: ConverseFacts,
): readonly JsonObject[] {
  return blocks.flatMap((block) => {
    const written = writeBlock(block, facts);
    return written.length > 0 && block.cache !== undefined && facts.cachePoints
      ? [...written, CACHE_POINT]
      : written;
  });
}

export const CACHE_POINT: JsonObject = { cachePoint: { type: 'default' } };

function writeBlock(block: Block, facts: ConverseFacts): readonly JsonObject[] {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return writeText(block.text);
    case 'image':
      return writeImage(block.source);
    case 'file':
      return writeFile(block);
    case 'audio':
      throw wrongField('messages', 'no_audio');
    case 'tool_call': {
      const input = block.custom ? { input: block.args } : parsedToolArguments(block.args);
      const name = vendorToolName(block.name, CONVERSE_TOOL_NAMES);
      return [{ toolUse: { toolUseId: portableCallId(block.id), name, input } }];
    }
    case 'tool_result':
      return [writeResult(block, facts)];
    // Most models reject thinking in the history, even their own.
    case 'thinking':
    case 'redacted_thinking':
      return [];
    case 'foreign':
      return block.text === undefined ? [] : writeText(block.text);
    default:
      return block satisfies never;
  }
}

/** Converse rejects blank texts. */
function writeText(text: string): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ text }];
}

/** URLs have already been fetched; files stored at another vendor cannot be. */
function bytesOf(source: MediaSource): { mediaType: string; bytes: string } | undefined {
  switch (source.kind) {
    case 'base64':
      return { mediaType: source.mediaType, bytes: source.data };
    case 'text':
      return { mediaType: 'text/plain', bytes: Buffer.from(source.text).toString('base64') };
    case 'url':
    case 'stored':
      return undefined;
    default:
      return source satisfies never;
  }
}

const IMAGE_FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'gif', 'webp']);

function writeImage(source: MediaSource): readonly JsonObject[] {
  const media = bytesOf(source);
  if (media === undefined) return [];
  const format = media.mediaType.replace(/^image\/(x-)?/, '').replace(/^jpg$/, 'jpeg');
  if (!IMAGE_FORMATS.has(format))
    throw wrongField('messages', 'image_type', { type: media.mediaType });
  return [{ image: { format, source: { bytes: media.bytes } } }];
}

/** Media types and file extensions that identify document formats. */
const DOCUMENT_FORMATS: readonly (readonly [format: string, type: RegExp, name: RegExp])[] = [
  ['pdf', /^application\/pdf/, /\.pdf$/i],
  ['csv', /^text\/csv/, /\.csv$/i],
  ['docx', /wordprocessingml/, /\.docx$/i],
  ['doc', /^application\/msword/, /\.doc$/i],
  ['xlsx', /spreadsheetml/, /\.xlsx$/i],
  ['xls', /^application\/vnd\.ms-excel/, /\.xls$/i],
  ['html', /^text\/html/, /\.html?$/i],
  ['md', /^text\/markdown/, /\.md$/i],
  ['txt', /^(text\/|application\/(json|xml|javascript|x-yaml|yaml|toml))/, /\.\w*$/],
];

function writeFile({ source, name = '' }: FileBlock): readonly JsonObject[] {
  const media = bytesOf(source);
  if (media === undefined) return [];
  const { mediaType, bytes } = media;
  if (mediaType.startsWith('video/'))
    return [{ video: { format: mediaType.slice('video/'.length), source: { bytes } } }];
  const row =
    DOCUMENT_FORMATS.find(([, type]) => type.test(mediaType)) ??
    DOCUMENT_FORMATS.find(([format, , ending]) => format !== 'txt' && ending.test(name));
  if (row === undefined) throw wrongField('messages', 'file_type', { type: mediaType });
  return [{ document: { format: row[0], name: documentName(name, bytes), source: { bytes } } }];
}

/** A neutral name of allowed characters, unique within a conversation. */
function documentName(name: string, bytes: string): string {
  const cleaned = name
    .replaceAll(/[^A-Za-z0-9\s()[\]-]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${cleaned || 'document'} ${sha256Hex(bytes).slice(0, 8)}`;
}

function writeResult(result: ToolResultBlock, { resultStatus }: ConverseFacts): JsonObject {
  const content = result.content.flatMap((block) => writeResultPart(block));
  return {
    toolResult: {
      toolUseId: portableCallId(result.callId),
      content: content.length > 0 ? content : [{ text: '(no output)' }],
      ...(result.isError && resultStatus ? { status: 'error' } : {}),
    },
  };
}

/** JSON is sent as JSON: some models read it better, none worse. */
function writeResultPart(block: ToolResultBlock['content'][number]): readonly JsonObject[] {
  if (block.kind !== 'text') return writeBlock(block, { match: /^/ });
  const json = block.text.startsWith('{') ? parseJson(block.text) : undefined;
  return isObject(json) ? [{ json }] : writeText(block.text);
}
