/** Reads chat messages into the hub, one function per kind of part. */
import { wrongField } from '../../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '../../../json/read-json.ts';
import type { Block, ResultContent, TextBlock, ThinkingBlock } from '../../hub/blocks.ts';
import { unknownFields, type Vendor } from '../../hub/extras.ts';
import { base64Source, sourceOfUrl } from '../../hub/request/media.ts';
import type { HubMessage } from '../../hub/request/request.ts';
import { reasoningOf } from './message-parts.ts';
import { type PlacedThought, placeOf, withThoughtsInPlace } from './reasoning-place.ts';

const KNOWN_MESSAGE = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'extra_content',
  'annotations',
]);

/** `field`: the message's path in errors. @throws AppError field_wrong */
export function readChatMessage(message: JsonObject, field: string): HubMessage {
  const extras = unknownFields('openai', message, KNOWN_MESSAGE);
  const name = textIn(message, 'name');
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', blocks: readContent(message), ...extras };
    case 'user':
      return { role: 'user', blocks: readContent(message), name, ...extras };
    case 'assistant':
      return { role: 'assistant', blocks: readAssistant(message), name, ...extras };
    case 'tool':
    case 'function':
      return { role: 'user', blocks: [readResult(message)] };
    default: {
      throw wrongField(`${field}.role`, 'not_choice', {
        choices: 'system, developer, user, assistant, tool',
      });
    }
  }
}

function readContent(message: JsonObject): readonly Block[] {
  const { content } = message;
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return objectsIn(message, 'content').flatMap(readPart);
}

/** The blocks of an assistant message in a history or an answer. */
export function readAssistant(message: JsonObject): readonly Block[] {
  const refusal = textIn(message, 'refusal');
  const legacy = objectIn(message, 'function_call');
  const content = [
    ...withTextSignature(readContent(message), message),
    ...(refusal === undefined ? [] : [{ kind: 'refusal', text: refusal } as const]),
    ...objectsIn(message, 'images').flatMap(readPart),
  ];
  const calls = [
    ...objectsIn(message, 'tool_calls').flatMap(readToolCall),
    ...(legacy === undefined ? [] : readToolCall({ function: legacy })),
  ];
  return withThoughtsInPlace(readThinking(message), content, calls);
}

/** Google sets a text's signature on its message. */
function withTextSignature(blocks: readonly Block[], message: JsonObject): readonly Block[] {
  const signature = googleSignature(message);
  const at = blocks.findLastIndex((block) => block.kind === 'text');
  const signed = blocks[at];
  if (signature === undefined || signed?.kind !== 'text') return blocks;
  return blocks.with(at, { ...signed, signature });
}

function googleSignature(holder: JsonObject) {
  const google = objectIn(objectIn(holder, 'extra_content'), 'google');
  const value = textIn(google, 'thought_signature');
  return value === undefined ? undefined : ({ origin: 'gemini', value } as const);
}

const KNOWN_TEXT = new Set(['type', 'text', 'cache_control', 'annotations']);

function readPart(part: JsonObject): readonly Block[] {
  const cache = objectIn(part, 'cache_control');
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return readText(part, cache);
    case 'image_url':
      return readImage(part, cache);
    case 'input_audio':
      return readAudio(part);
    case 'file':
      return readFile(part, cache);
    case 'video_url': {
      const url = urlIn(part, 'video_url');
      return url === undefined ? [] : [{ kind: 'file', source: sourceOfUrl(url) }];
    }
    case 'refusal': {
      const text = textIn(part, 'refusal');
      return text === undefined ? [] : [{ kind: 'refusal', text }];
    }
    // Mistral's thinking parts are read with the other reasoning.
    case 'thinking':
      return [];
    default:
      return [{ kind: 'foreign', origin: 'openai', value: part }];
  }
}

function readText(part: JsonObject, cache: JsonObject | undefined): readonly TextBlock[] {
  const text = textIn(part, 'text');
  if (text === undefined) return [];
  return [{ kind: 'text', text, cache, ...unknownFields('openai', part, KNOWN_TEXT) }];
}

function readImage(part: JsonObject, cache: JsonObject | undefined): readonly Block[] {
  const url = urlIn(part, 'image_url');
  if (url === undefined) return [];
  const detail = textIn(objectIn(part, 'image_url'), 'detail');
  return [{ kind: 'image', source: sourceOfUrl(url), detail, cache }];
}

/** The URL may be a string or inside an object. */
function urlIn(part: JsonObject, name: string): string | undefined {
  return textIn(part, name) ?? textIn(objectIn(part, name), 'url');
}

function readAudio(part: JsonObject): readonly Block[] {
  const audio = objectIn(part, 'input_audio');
  const data = textIn(audio, 'data');
  if (data === undefined) return [];
  const source = base64Source(data, `audio/${textIn(audio, 'format') ?? 'wav'}`);
  return [{ kind: 'audio', source }];
}

function readFile(part: JsonObject, cache: JsonObject | undefined): readonly Block[] {
  const file = objectIn(part, 'file') ?? part;
  const data = textIn(file, 'file_data');
  const id = textIn(file, 'file_id');
  const name = textIn(file, 'filename');
  if (data !== undefined) {
    const isUrl = /^(data:|https?:)/i.test(data);
    const source = isUrl ? sourceOfUrl(data) : base64Source(data, '');
    return [{ kind: 'file', source, name, cache }];
  }
  return id === undefined
    ? []
    : [{ kind: 'file', source: { kind: 'stored', origin: 'openai', id }, name, cache }];
}

function readToolCall(call: JsonObject): readonly Block[] {
  const custom = objectIn(call, 'custom');
  const body = objectIn(call, 'function') ?? custom;
  const name = textIn(body, 'name');
  if (body === undefined || name === undefined) return [];
  const given = custom === undefined ? body.arguments : body.input;
  return [
    {
      kind: 'tool_call',
      id: textIn(call, 'id') ?? '',
      name,
      args: argsText(given) || (custom === undefined ? '{}' : ''),
      ...(custom === undefined ? {} : { custom: true }),
      signature: googleSignature(call),
      cache: objectIn(call, 'cache_control'),
    },
  ];
}

/** OpenAI requires arguments as a string; some servers send an object. */
export function argsText(given: unknown): string {
  if (isObject(given)) return JSON.stringify(given);
  return typeof given === 'string' ? given : '';
}

function readResult(message: JsonObject): Block {
  return {
    kind: 'tool_result',
    callId: textIn(message, 'tool_call_id') ?? '',
    name: textIn(message, 'name'),
    content: readContent(message).filter(isResultContent),
  };
}

function isResultContent(block: Block): block is ResultContent {
  return ['text', 'image', 'audio', 'file', 'foreign'].includes(block.kind);
}

/** OpenRouter's format names of the vendors whose signatures it passes on. */
export const SIGNATURE_FORMATS: Readonly<Record<Vendor, string>> = {
  anthropic: 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  openai: 'openai-responses-v1',
};

function originOf(detail: JsonObject): Vendor {
  const format = textIn(detail, 'format');
  const origins: readonly Vendor[] = ['anthropic', 'gemini', 'openai'];
  return origins.find((origin) => SIGNATURE_FORMATS[origin] === format) ?? 'openai';
}

/** The listed reasoning if it contains text, else the plain text. */
function readThinking(message: JsonObject): readonly PlacedThought[] {
  const details = objectsIn(message, 'reasoning_details');
  const listed = details.flatMap(readDetail);
  const hasThinking = listed.some((block) => block.kind === 'thinking' && block.text !== '');
  const text = reasoningOf(message);
  if (hasThinking || text === '') return listed;
  const [first, ...rest] = listed;
  // A signature listed without text belongs to the plain text.
  if (first?.kind === 'thinking') return [{ ...first, text }, ...rest];
  return [{ kind: 'thinking', text }, ...listed];
}

function readDetail(detail: JsonObject): readonly PlacedThought[] {
  const place = placeOf(textIn(detail, 'id'));
  const origin = originOf(detail);
  const data = textIn(detail, 'data');
  if (detail.type === 'reasoning.encrypted' && data !== undefined)
    return [{ kind: 'redacted_thinking', origin, data, place }];
  const value = textIn(detail, 'signature');
  const text = textIn(detail, 'text') ?? textIn(detail, 'summary') ?? '';
  if (text === '' && value === undefined) return [];
  const signed: Pick<ThinkingBlock, 'signature'> =
    value === undefined ? {} : { signature: { origin, value } };
  return [{ kind: 'thinking', text, ...signed, place }];
}
