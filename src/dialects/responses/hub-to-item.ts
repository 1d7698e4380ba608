/** Writes the input items of a Responses request, one function per kind of block. */
import { wrongField } from '../../domain/errors/field-errors.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type {
  Block,
  FileBlock,
  ImageBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../hub/blocks.ts';
import { dataUrl } from '../hub/request/media.ts';
import type { HubMessage } from '../hub/request/request.ts';
import { portableCallId, vendorToolName } from '../hub/tools/tool-names.ts';
import { COMMENTARY } from './encrypted-reasoning.ts';
import { RESPONSES_TOOL_NAMES } from './tool-names.ts';

/** @throws AppError field_wrong for audio. */
export function writeInput(messages: readonly HubMessage[]): readonly JsonObject[] {
  const writer = new ItemWriter();
  return messages.flatMap((message) => writer.write(message));
}

class ItemWriter {
  /** Results of free-text tools have an item type of their own. */
  readonly #customCalls = new Set<string>();

  write({ role, blocks }: HubMessage): readonly JsonObject[] {
    const items: JsonObject[] = [];
    let parts: JsonObject[] = [];
    const flush = () => {
      if (parts.length > 0) items.push(messageItem(role, parts));
      parts = [];
    };
    for (const block of blocks) {
      const item = this.#item(block);
      if (item === undefined) parts.push(...writePart(block, role));
      else {
        flush();
        items.push(item);
      }
    }
    flush();
    return withoutLooseThoughts(items);
  }

  /** Undefined if the block is part of a message. */
  #item(block: Block): JsonObject | undefined {
    switch (block.kind) {
      case 'tool_call':
        return this.#call(block);
      case 'tool_result':
        return this.#result(block);
      case 'thinking':
        return writeThinking(block);
      case 'redacted_thinking':
        return block.origin === 'openai' ? reasoningItem(block.data, '') : undefined;
      default:
        return undefined;
    }
  }

  #call({ id, name, args, custom }: ToolCallBlock): JsonObject {
    const call = { call_id: portableCallId(id), name: vendorToolName(name, RESPONSES_TOOL_NAMES) };
    if (!custom) return { type: 'function_call', ...call, arguments: args };
    this.#customCalls.add(id);
    return { type: 'custom_tool_call', ...call, input: args };
  }

  #result({ callId, content, isError }: ToolResultBlock): JsonObject {
    const isCustom = this.#customCalls.has(callId);
    const parts = content.flatMap((block) => writePart(block, 'user'));
    const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
    const text = texts.join('\n');
    const plain = isError ? `Error: ${text}` : text;
    return {
      type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
      call_id: portableCallId(callId),
      // Every server of this dialect supports plain text.
      output: texts.length === parts.length ? plain : parts,
    };
  }
}

/** Undefined for the thinking of another vendor. */
function writeThinking({ text, signature }: ThinkingBlock): JsonObject | undefined {
  if (signature?.origin !== 'openai') return undefined;
  if (signature.value !== COMMENTARY.value) return reasoningItem(signature.value, text);
  const item = messageItem('assistant', writeText(text, 'assistant'));
  return { ...item, phase: 'commentary' };
}

function messageItem(role: HubMessage['role'], content: readonly JsonObject[]): JsonObject {
  return { type: 'message', role: role === 'system' ? 'developer' : role, content };
}

function reasoningItem(proof: string, text: string): JsonObject {
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return { type: 'reasoning', summary, encrypted_content: proof };
}

/** Removes trailing reasoning, which the API rejects. */
function withoutLooseThoughts(items: readonly JsonObject[]): readonly JsonObject[] {
  const last = items.findLastIndex(({ type }) => type !== 'reasoning');
  return items.slice(0, last + 1);
}

function writePart(block: Block, role: HubMessage['role']): readonly JsonObject[] {
  switch (block.kind) {
    case 'text':
      return writeText(block.text, role);
    case 'refusal':
      if (role !== 'assistant') return writeText(block.text, role);
      return [{ type: 'refusal', refusal: block.text }];
    case 'image':
      return role === 'assistant' ? [] : writeImage(block);
    case 'file':
      return role === 'assistant' ? [] : writeFile(block);
    case 'audio': {
      throw wrongField('messages', 'no_audio');
    }
    case 'foreign':
      return block.text === undefined ? [] : writeText(block.text, role);
    // These are separate items, or not supported here.
    case 'tool_call':
    case 'tool_result':
    case 'thinking':
    case 'redacted_thinking':
      return [];
    default:
      return block satisfies never;
  }
}

function writeText(text: string, role: HubMessage['role']): readonly JsonObject[] {
  if (text === '') return [];
  return role === 'assistant'
    ? [{ type: 'output_text', text, annotations: [] }]
    : [{ type: 'input_text', text }];
}

function writeImage({ source, detail = 'auto' }: ImageBlock): readonly JsonObject[] {
  switch (source.kind) {
    case 'base64':
      return [{ type: 'input_image', image_url: dataUrl(source), detail }];
    case 'url':
      return [{ type: 'input_image', image_url: source.url, detail }];
    case 'stored':
      return source.origin === 'openai'
        ? [{ type: 'input_image', file_id: source.id, detail }]
        : [];
    case 'text':
      return [];
    default:
      return source satisfies never;
  }
}

function writeFile({ source, name }: FileBlock): readonly JsonObject[] {
  const filename = name === undefined ? {} : { filename: name };
  switch (source.kind) {
    case 'base64':
      return [{ type: 'input_file', filename: 'file', ...filename, file_data: dataUrl(source) }];
    case 'url':
      return [{ type: 'input_file', file_url: source.url }];
    case 'stored':
      return source.origin === 'openai' ? [{ type: 'input_file', file_id: source.id }] : [];
    case 'text': {
      const text = name === undefined ? source.text : `${name}\n${source.text}`;
      return [{ type: 'input_text', text }];
    }
    default:
      return source satisfies never;
  }
}
