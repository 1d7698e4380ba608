/** Writes Anthropic's content blocks, one function per kind. */
import { wrongField } from '../../domain/errors/field-errors.ts';
import type { JsonObject } from '../../json/read-json.ts';
import {
  type Block,
  type FileBlock,
  type MediaSource,
  parsedToolArguments,
  type TextBlock,
  type ThinkingBlock,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../hub/blocks.ts';
import { extrasFor } from '../hub/extras.ts';
import { portableCallId, vendorToolName } from '../hub/tools/tool-names.ts';
import { ANTHROPIC_TOOL_NAMES } from './tool-names.ts';

/** Blocks of a request without other vendors' thinking, whose signatures Anthropic rejects. */
export function writeAnthropicBlocks(blocks: readonly Block[]): readonly JsonObject[] {
  return blocks.flatMap(writeBlock);
}

function writeBlock(block: Block): readonly JsonObject[] {
  switch (block.kind) {
    case 'text':
      return writeText(block);
    case 'refusal':
      return writeText({ kind: 'text', text: block.text });
    case 'image': {
      const source = writeSource(block.source);
      return source === undefined ? [] : [{ type: 'image', source, ...cacheMark(block) }];
    }
    case 'audio': {
      throw wrongField('messages', 'no_audio');
    }
    case 'file':
      return writeFile(block);
    case 'tool_call':
      return [writeToolUse(block)];
    case 'tool_result':
      return [writeToolResult(block)];
    case 'thinking':
      return writeThinking(block);
    case 'redacted_thinking':
      return block.origin === 'anthropic' ? [{ type: 'redacted_thinking', data: block.data }] : [];
    case 'foreign':
      if (block.origin === 'anthropic') return [block.value];
      return block.text === undefined ? [] : writeText({ kind: 'text', text: block.text });
    default:
      return block satisfies never;
  }
}

function cacheMark({ cache }: Block): JsonObject {
  return cache === undefined ? {} : { cache_control: cache };
}

/** Anthropic rejects blank texts. */
function writeText(block: TextBlock): readonly JsonObject[] {
  if (block.text.trim() === '') return [];
  const extras = extrasFor('anthropic', block);
  return [{ type: 'text', text: block.text, ...cacheMark(block), ...extras }];
}

function writeSource(source: MediaSource): JsonObject | undefined {
  switch (source.kind) {
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'stored':
      return source.origin === 'anthropic' ? { type: 'file', file_id: source.id } : undefined;
    default:
      return source satisfies never;
  }
}

/** Documents are PDF or plain text; other text formats are sent as plain text. */
function writeFile(block: FileBlock): readonly JsonObject[] {
  const source = writeSource(asText(block.source));
  if (source === undefined) return [];
  const title = block.name === undefined ? {} : { title: block.name };
  return [
    { type: 'document', source, ...title, ...cacheMark(block), ...extrasFor('anthropic', block) },
  ];
}

const TEXT_TYPES = /^(text\/|application\/(json|xml|javascript|x-yaml|yaml|toml))/;

function asText(source: MediaSource): MediaSource {
  if (source.kind !== 'base64' || !TEXT_TYPES.test(source.mediaType)) return source;
  return { kind: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') };
}

function writeToolUse(call: ToolCallBlock): JsonObject {
  const input = call.custom ? { input: call.args } : parsedToolArguments(call.args);
  const name = vendorToolName(call.name, ANTHROPIC_TOOL_NAMES);
  return { type: 'tool_use', id: portableCallId(call.id), name, input, ...cacheMark(call) };
}

function writeToolResult(result: ToolResultBlock): JsonObject {
  const content = writeAnthropicBlocks(result.content);
  const [only] = content;
  const isText = content.length === 1 && only?.type === 'text' && only.cache_control === undefined;
  return {
    type: 'tool_result',
    tool_use_id: portableCallId(result.callId),
    ...(content.length === 0 ? {} : { content: isText ? only.text : content }),
    ...(result.isError ? { is_error: true } : {}),
    ...cacheMark(result),
  };
}

function writeThinking({ text, signature }: ThinkingBlock): readonly JsonObject[] {
  if (signature?.origin !== 'anthropic') return [];
  return [{ type: 'thinking', thinking: text, signature: signature.value }];
}
