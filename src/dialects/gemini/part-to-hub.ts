/** Reads Gemini's contents and parts into the hub, one function per kind. */
import { isObject, type JsonObject } from '../../json/read-json.ts';
import type { Block, MediaSource, ResultContent, Signature, ToolCallBlock } from '../hub/blocks.ts';
import { base64Source, mediaBlock } from '../hub/request/media.ts';
import type { HubMessage } from '../hub/request/request.ts';
import { unpackSignature } from '../hub/thinking/signature.ts';
import { fieldOf, objectOf, objectsOf, textField } from './fields.ts';

/** The texts of a content, which may also be a plain string. */
export function readTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  if (!isObject(content)) return [];
  return objectsOf(content, 'parts').flatMap((part) => textField(part, 'text') ?? []);
}

/** Calls without an id get one from their position; results without one are matched by name. */
export class ContentReader {
  readonly #waiting = new Map<string, string[]>();
  #calls = 0;

  read(content: JsonObject): HubMessage {
    const role = content.role === 'model' ? 'assistant' : 'user';
    const blocks = objectsOf(content, 'parts').flatMap((part) => this.#part(part));
    return { role, blocks: joinedThoughts(blocks) };
  }

  #part(part: JsonObject): readonly Block[] {
    const call = objectOf(part, 'functionCall');
    if (call !== undefined) return this.#call(call, partSignature(part));
    const response = objectOf(part, 'functionResponse');
    return response === undefined ? readPart(part) : this.#result(response);
  }

  #call(call: JsonObject, signature: Signature | undefined): readonly Block[] {
    const read = readCall(call, `call_${this.#calls}`, signature);
    if (read === undefined) return [];
    this.#calls += 1;
    this.#waiting.set(read.name, [...(this.#waiting.get(read.name) ?? []), read.id]);
    return [read];
  }

  #result(response: JsonObject): readonly Block[] {
    const name = textField(response, 'name') ?? '';
    const waiting = this.#waiting.get(name) ?? [];
    const responseId = textField(response, 'id');
    const callId = responseId ?? waiting[0] ?? '';
    this.#waiting.set(
      name,
      waiting.filter((id) => id !== callId),
    );
    const media = objectsOf(response, 'parts').flatMap(readPart).filter(isResultContent);
    const { text, isError } = readResponse(fieldOf(response, 'response'));
    const texts: ResultContent[] = text === '' ? [] : [{ kind: 'text', text }];
    const failed = isError ? { isError: true as const } : {};
    return [{ kind: 'tool_result', callId, name, content: [...texts, ...media], ...failed }];
  }
}

function isResultContent(block: Block): block is ResultContent {
  return ['text', 'image', 'audio', 'file', 'foreign'].includes(block.kind);
}

/** Gemini's results are objects; one with a single text field becomes that text. */
function readResponse(response: unknown): { text: string; isError: boolean } {
  if (!isObject(response))
    return { text: response === undefined ? '' : String(response), isError: false };
  const entries = Object.entries(response);
  const [name, value] = entries[0] ?? [];
  if (entries.length === 1 && typeof value === 'string') {
    if (name === 'error') return { text: value, isError: true };
    if (name === 'result' || name === 'output') return { text: value, isError: false };
  }
  return { text: JSON.stringify(response), isError: false };
}

/** `fallbackId` is used for a call without an id. */
export function readCall(
  call: JsonObject,
  fallbackId: string,
  signature: Signature | undefined,
): ToolCallBlock | undefined {
  const name = textField(call, 'name');
  if (name === undefined) return undefined;
  const args = JSON.stringify(objectOf(call, 'args') ?? {});
  return { kind: 'tool_call', id: textField(call, 'id') ?? fallbackId, name, args, signature };
}

export function partSignature(part: JsonObject): Signature | undefined {
  const value = textField(part, 'thoughtSignature');
  return value === undefined ? undefined : unpackSignature(value, 'gemini');
}

/** Reads a part that is neither a call nor a result. */
export function readPart(part: JsonObject): readonly Block[] {
  const text = textField(part, 'text');
  const signature = partSignature(part);
  if (part.thought === true) return readThought(text ?? '', signature);
  const inline = objectOf(part, 'inlineData');
  const file = objectOf(part, 'fileData');
  if (inline !== undefined) return readInline(inline);
  if (file !== undefined) return readFile(file);
  if (text !== undefined || signature !== undefined)
    return [{ kind: 'text', text: text ?? '', ...(signature === undefined ? {} : { signature }) }];
  const code = codeText(part);
  const isSilent = Object.keys(part).every((name) => name === 'text');
  return isSilent ? [] : [{ kind: 'foreign', origin: 'gemini', value: part, text: code }];
}

function readThought(text: string, signature: Signature | undefined): readonly Block[] {
  const isHidden = signature?.value.startsWith(REDACTED) && signature.origin !== 'gemini';
  if (signature !== undefined && isHidden) {
    const data = signature.value.slice(REDACTED.length);
    return [{ kind: 'redacted_thinking', origin: signature.origin, data }];
  }
  return [{ kind: 'thinking', text, ...(signature === undefined ? {} : { signature }) }];
}

/** Marks other vendors' redacted thinking, sent as a signature because Gemini has no field. */
export const REDACTED = 'redacted:';

function readInline(inline: JsonObject): readonly Block[] {
  const data = textField(inline, 'data');
  if (data === undefined) return [];
  return [mediaBlock(base64Source(data, textField(inline, 'mimeType') ?? ''))];
}

const STORED = /^https:\/\/generativelanguage\.googleapis\.com\/|^gs:\/\//;

function readFile(file: JsonObject): readonly Block[] {
  const url = textField(file, 'fileUri');
  if (url === undefined) return [];
  const mediaType = textField(file, 'mimeType');
  const source: MediaSource = STORED.test(url)
    ? { kind: 'stored', origin: 'gemini', id: url, mediaType }
    : { kind: 'url', url, mediaType };
  return [mediaBlock(source)];
}

/** Code run by the vendor's interpreter and its output, as text for other dialects. */
function codeText(part: JsonObject): string | undefined {
  const code = objectOf(part, 'executableCode');
  const result = objectOf(part, 'codeExecutionResult');
  if (code !== undefined) {
    const language = (textField(code, 'language') ?? '').toLowerCase();
    return `\n\`\`\`${language}\n${textField(code, 'code') ?? ''}\n\`\`\`\n`;
  }
  return result && `\n\`\`\`output\n${textField(result, 'output') ?? ''}\n\`\`\`\n`;
}

/** Streams split thinking into many pieces; the last piece's signature covers all of them. */
function joinedThoughts(blocks: readonly Block[]): readonly Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const goesOn =
      last?.kind === 'thinking' && block.kind === 'thinking' && last.signature === undefined;
    if (goesOn) joined[joined.length - 1] = { ...block, text: last.text + block.text };
    else joined.push(block);
  }
  return joined;
}
