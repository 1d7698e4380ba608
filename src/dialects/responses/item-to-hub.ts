/** Reads Responses items of requests and answers. */
import { type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import { type Block, summaryBlock } from '../hub/blocks.ts';
import { base64Source } from '../hub/request/media.ts';
import type { HubMessage } from '../hub/request/request.ts';
import { readEncryptedReasoning, readSummary } from './encrypted-reasoning.ts';
import { type FlatNames, joinedName, memberIn } from './namespaces.ts';
import { readContent, readOutput } from './part-to-hub.ts';

export interface ReadItem {
  readonly role: HubMessage['role'];
  readonly blocks: readonly Block[];
}

/** A message may omit its type. */
export function typeOfItem(item: JsonObject): string {
  return textIn(item, 'type') ?? 'message';
}

/** `names`: the flat names of tools in namespaces, which answers of other clients do not contain. */
export function readItem(item: JsonObject, names: FlatNames = joinedName): ReadItem {
  const type = typeOfItem(item);
  switch (type) {
    case 'message':
      return { role: roleOf(item), blocks: readContent(item.content) };
    case 'reasoning':
      return { role: 'assistant', blocks: readReasoning(item) };
    case 'function_call':
    case 'custom_tool_call':
      return { role: 'assistant', blocks: [readCall(item, names)] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', blocks: [readResult(item)] };
    case 'image_generation_call':
      return { role: 'assistant', blocks: readDrawing(item) };
    // Items of the vendor's own tools, and references to them.
    default: {
      const summary = readSummary(item);
      if (summary !== undefined) return { role: 'assistant', blocks: [summaryBlock(summary)] };
      const role = type.endsWith('_output') ? 'user' : 'assistant';
      return { role, blocks: [{ kind: 'foreign', origin: 'responses', value: item }] };
    }
  }
}

function roleOf({ role }: JsonObject): HubMessage['role'] {
  if (role === 'system' || role === 'developer') return 'system';
  return role === 'assistant' ? 'assistant' : 'user';
}

/** An item without text and signature would become an empty thinking block, so it is dropped. */
function readReasoning(item: JsonObject): readonly Block[] {
  const text = reasoningText(item);
  const proof = textIn(item, 'encrypted_content');
  if (proof === undefined) return text === '' ? [] : [{ kind: 'thinking', text }];
  return [readEncryptedReasoning(proof, text)];
}

/** The summary, else the reasoning text itself, which open models return. */
export function reasoningText(item: JsonObject): string {
  const textsIn = (field: string) =>
    objectsIn(item, field).flatMap((part) => textIn(part, 'text') ?? []);
  const summary = textsIn('summary').join('\n\n');
  return summary === '' ? textsIn('content').join('') : summary;
}

function readCall(item: JsonObject, names: FlatNames): Block {
  const isCustom = item.type === 'custom_tool_call';
  const member = memberIn(item);
  return {
    kind: 'tool_call',
    id: textIn(item, 'call_id') ?? textIn(item, 'id') ?? '',
    name: member === undefined ? (textIn(item, 'name') ?? '') : names(member),
    args: isCustom ? (textIn(item, 'input') ?? '') : (textIn(item, 'arguments') ?? '{}'),
    ...(isCustom ? { custom: true } : {}),
  };
}

function readResult(item: JsonObject): Block {
  return {
    kind: 'tool_result',
    callId: textIn(item, 'call_id') ?? '',
    content: readOutput(item.output),
  };
}

function readDrawing(item: JsonObject): readonly Block[] {
  const data = textIn(item, 'result');
  return data === undefined ? [] : [{ kind: 'image', source: base64Source(data, 'image/png') }];
}
