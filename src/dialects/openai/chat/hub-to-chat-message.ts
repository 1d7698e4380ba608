/** Writes chat messages from the hub, one function per kind of block. */
import type { JsonObject } from '../../../json/read-json.ts';
import {
  type AudioBlock,
  type Block,
  type FileBlock,
  type ImageBlock,
  type MediaSource,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  textOfBlocks,
} from '../../hub/blocks.ts';
import type { ChatTarget } from '../../hub/dialect.ts';
import { extrasFor } from '../../hub/extras.ts';
import { audioFormat, dataUrl } from '../../hub/request/media.ts';
import type { HubMessage } from '../../hub/request/request.ts';
import { portableCallId, vendorToolName } from '../../hub/tools/tool-names.ts';
import { CHAT_TOOL_NAMES } from './chat-tool-names.ts';

/** Empty for a message without content in this dialect. */
export function writeChatMessage(message: HubMessage, chat: ChatTarget): readonly JsonObject[] {
  const rest = {
    ...extrasFor('openai', message),
    ...(message.name === undefined ? {} : { name: message.name }),
  };
  switch (message.role) {
    case 'system': {
      const content = contentOf(message.blocks, chat, '\n');
      return content === undefined ? [] : [{ role: 'system', content, ...rest }];
    }
    case 'assistant':
      return writeAssistant(message.blocks, chat, rest);
    case 'user':
      return writeUser(message.blocks, chat, rest);
    default:
      return message.role satisfies never;
  }
}

/** A string if there is only text, else parts. */
function contentOf(blocks: readonly Block[], chat: ChatTarget, separator?: string): unknown {
  const isPlain = blocks.every(
    (block) => block.kind === 'text' && !(chat.cacheMarks && block.cache) && !block.extras,
  );
  if (isPlain && (separator !== undefined || blocks.length <= 1))
    return textOfBlocks(blocks, separator ?? '') || undefined;
  const parts = blocks.flatMap((block) => writePart(block, chat));
  return parts.length === 0 ? undefined : parts;
}

function writePart(block: Block, chat: ChatTarget): readonly JsonObject[] {
  switch (block.kind) {
    case 'text':
      return writeText(block, chat);
    case 'image':
      return writeImage(block, chat);
    case 'audio':
      return writeAudio(block);
    case 'file':
      return writeFile(block);
    case 'refusal':
      return [{ type: 'text', text: block.text }];
    case 'foreign':
      if (block.origin === 'openai') return [block.value];
      return block.text === undefined ? [] : [{ type: 'text', text: block.text }];
    // These have their own fields in a message.
    case 'tool_call':
    case 'tool_result':
    case 'thinking':
    case 'redacted_thinking':
      return [];
    default:
      return block satisfies never;
  }
}

function cacheMark(block: Block, chat: ChatTarget): JsonObject {
  return chat.cacheMarks && block.cache !== undefined ? { cache_control: block.cache } : {};
}

function writeText(block: TextBlock, chat: ChatTarget): readonly JsonObject[] {
  if (block.text === '') return [];
  const rest = { ...cacheMark(block, chat), ...extrasFor('openai', block) };
  return [{ type: 'text', text: block.text, ...rest }];
}

function urlOf(source: MediaSource): string | undefined {
  if (source.kind === 'url') return source.url;
  return source.kind === 'base64' ? dataUrl(source) : undefined;
}

function writeImage(block: ImageBlock, chat: ChatTarget): readonly JsonObject[] {
  const url = urlOf(block.source);
  if (url === undefined) return [];
  const detail = block.detail === undefined ? {} : { detail: block.detail };
  return [{ type: 'image_url', image_url: { url, ...detail }, ...cacheMark(block, chat) }];
}

function writeAudio({ source }: AudioBlock): readonly JsonObject[] {
  if (source.kind !== 'base64') return [];
  const format = audioFormat(source.mediaType);
  return [{ type: 'input_audio', input_audio: { data: source.data, format } }];
}

function writeFile({ source, name }: FileBlock): readonly JsonObject[] {
  const filename = name === undefined ? {} : { filename: name };
  switch (source.kind) {
    case 'base64':
      return [
        { type: 'file', file: { filename: 'file', ...filename, file_data: dataUrl(source) } },
      ];
    case 'stored':
      return source.origin === 'openai'
        ? [{ type: 'file', file: { file_id: source.id, ...filename } }]
        : [];
    case 'text':
      return [{ type: 'text', text: name === undefined ? source.text : `${name}\n${source.text}` }];
    // Chat accepts files only as bytes, so the URL is sent as text.
    case 'url':
      return [{ type: 'text', text: source.url }];
    default:
      return source satisfies never;
  }
}

function writeAssistant(
  blocks: readonly Block[],
  chat: ChatTarget,
  rest: JsonObject,
): readonly JsonObject[] {
  const calls = blocks.filter((block) => block.kind === 'tool_call');
  const contentBlocks = blocks.filter((block) => block.kind !== 'refusal');
  const isText = contentBlocks.every((block) => block.kind !== 'foreign' && block.kind !== 'image');
  const content = isText
    ? textOfBlocks(contentBlocks, '') || undefined
    : contentOf(contentBlocks, chat);
  const refusal = blocks.find((block) => block.kind === 'refusal');
  if (content === undefined && calls.length === 0 && refusal === undefined) return [];
  return [
    {
      role: 'assistant',
      content: content ?? null,
      ...(refusal === undefined ? {} : { refusal: refusal.text }),
      ...reasoningField(blocks, calls.length > 0, chat),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => writeCall(call, chat)) }),
      ...rest,
    },
  ];
}

/** Most servers accept any id, and some models (Kimi) continue only from their own. */
function callIdFor(id: string, chat: ChatTarget): string {
  return chat.strict ? portableCallId(id) : id;
}

/** A blank replaces lost reasoning, because some providers reject a history without it. */
function reasoningField(blocks: readonly Block[], hasCalls: boolean, chat: ChatTarget): JsonObject {
  if (chat.strict) return {};
  const text = blocks.map((block) => (block.kind === 'thinking' ? block.text : '')).join('');
  if (text !== '') return { reasoning_content: text };
  return hasCalls && chat.needsReasoning ? { reasoning_content: ' ' } : {};
}

function writeCall(call: ToolCallBlock, chat: ChatTarget): JsonObject {
  const { signature, args } = call;
  const id = callIdFor(call.id, chat);
  const name = vendorToolName(call.name, CHAT_TOOL_NAMES);
  if (call.custom && chat.strict) return { id, type: 'custom', custom: { name, input: args } };
  const isGoogles = signature?.origin === 'gemini' && !chat.strict;
  return {
    id,
    type: 'function',
    function: { name, arguments: call.custom ? JSON.stringify({ input: args }) : args },
    ...(isGoogles ? { extra_content: { google: { thought_signature: signature.value } } } : {}),
  };
}

/** Results come first, each as its own message; their media follow in the user message. */
function writeUser(
  blocks: readonly Block[],
  chat: ChatTarget,
  rest: JsonObject,
): readonly JsonObject[] {
  const results = blocks.filter((block) => block.kind === 'tool_result');
  const others = blocks.filter((block) => block.kind !== 'tool_result');
  const shown = results.flatMap(mediaOf);
  const content = contentOf([...shown, ...others], chat);
  return [
    ...results.map((result) => writeResult(result, chat)),
    ...(content === undefined ? [] : [{ role: 'user', content, ...rest }]),
  ];
}

function mediaOf(result: ToolResultBlock): readonly Block[] {
  const media = result.content.filter(isMedia);
  if (media.length === 0) return [];
  return [{ kind: 'text', text: `Attached to the result of ${result.callId}:` }, ...media];
}

function isMedia(block: Block): boolean {
  if (block.kind === 'file') return block.source.kind !== 'text';
  return block.kind === 'image' || block.kind === 'audio';
}

/** Image bytes are never written as text, because they would be charged as text tokens. */
function writeResult(result: ToolResultBlock, chat: ChatTarget): JsonObject {
  const texts = result.content.flatMap((block) => {
    if (block.kind === 'text') return [block.text];
    if (block.kind === 'file' && block.source.kind === 'text') return [block.source.text];
    if (block.kind === 'foreign') return block.text === undefined ? [] : [block.text];
    return [`[${block.kind} attached below]`];
  });
  const text = texts.join('\n');
  const content = result.isError ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: callIdFor(result.callId, chat), content };
}
