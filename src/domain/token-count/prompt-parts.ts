/**
 * The single traversal of a request that finds everything a model reads, for every dialect.
 * Bounded, and never throws: requests come from clients.
 */
import { isFields, type JsonFields } from '../json-fields.ts';

/** Receives what the traversal finds. Arrays of token ids are passed to `tokens`. */
export interface PromptVisitor {
  text(text: string): void;
  tokens(count: number): void;
  /** A message or content item with a role. */
  message(): void;
  /** One tool or function definition, as sent. */
  tool(definition: object): void;
  media(part: MediaPart): void;
}

export interface MediaPart {
  readonly kind: 'image' | 'audio' | 'file';
  /** A URL, a data URL or base64; empty if the request references the media in another way. */
  readonly data: string;
  /** OpenAI's `detail`: low, high, auto, original. */
  readonly detail: string;
  /** Set for a text that only looks like media. */
  readonly isBare?: true;
  /** Inside JSON that the model may read as text: arguments or results of a tool call. */
  readonly isQuoted?: true;
}

/** The traversal stops after this many values: larger requests do not need a precise estimate. */
export const MAX_NODES = 50_000;
const MAX_DEPTH = 24;

/** Request fields that a model reads, for all dialects, in order of traversal. */
const PROMPT_FIELDS = [
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'messages',
  'contents',
  'prompt',
  'input',
  'suffix',
  'query',
  'texts',
] as const;
const TOOL_FIELDS = [
  'tools',
  'functions',
  'functionDeclarations',
  'function_declarations',
] as const;

/** Metadata inside messages: never read by the model as text, and some of it is long. */
const SILENT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'status',
  'index',
  'cache_control',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
  'media_type',
  'mimeType',
  'mime_type',
]);

/** Fields that lead to the parts of a message. Values of any other field may be read as JSON. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'parts',
  'source',
  'output',
  'functionResponse',
  'function_response',
]);

/**
 * Passes everything in a request that costs prompt tokens to `visitor`. Returns false if it stopped
 * before the end. Never throws.
 */
export function walkPrompt(body: unknown, visitor: PromptVisitor): boolean {
  if (!isFields(body)) return true;
  const walk = { visitor, left: MAX_NODES };
  for (const field of PROMPT_FIELDS) walkPart(body[field], walk, { depth: 0, isQuoted: false });
  walkTools(body, walk, 0);
  return walk.left > 0;
}

interface Walk {
  readonly visitor: PromptVisitor;
  left: number;
}

interface PartContext {
  readonly depth: number;
  readonly isQuoted: boolean;
}

function walkTools(holder: JsonFields, walk: Walk, depth: number): void {
  for (const field of TOOL_FIELDS) {
    const tools = holder[field];
    if (!Array.isArray(tools) || depth > 1) continue;
    for (const tool of tools) {
      if (walk.left-- <= 0) return;
      if (!isFields(tool)) continue;
      // Gemini nests its declarations one level deeper.
      if (TOOL_FIELDS.some((inner) => Array.isArray(tool[inner]))) walkTools(tool, walk, depth + 1);
      else walk.visitor.tool(tool);
    }
  }
}

function walkPart(value: unknown, walk: Walk, context: PartContext): void {
  if (walk.left-- <= 0 || context.depth > MAX_DEPTH) return;
  if (typeof value === 'string') walkText(value, walk.visitor);
  else if (Array.isArray(value)) walkList(value, walk, context);
  else if (isFields(value)) walkFields(value, walk, context);
}

function walkText(text: string, visitor: PromptVisitor): void {
  if (text.startsWith('data:'))
    visitor.media({ kind: kindOfMime(text.slice(5, 40)), data: text, detail: '', isBare: true });
  else if (text !== '') visitor.text(text);
}

function walkList(list: readonly unknown[], walk: Walk, context: PartContext): void {
  if (typeof list[0] === 'number') {
    walk.visitor.tokens(list.length);
    return;
  }
  const inner = { depth: context.depth + 1, isQuoted: context.isQuoted };
  for (const item of list) {
    if (walk.left <= 0) return;
    walkPart(item, walk, inner);
  }
}

function walkFields(fields: JsonFields, walk: Walk, context: PartContext): void {
  const media = mediaOf(fields);
  if (media) {
    walk.visitor.media(context.isQuoted ? { ...media, isQuoted: true } : media);
    return;
  }
  if (typeof fields.role === 'string') walk.visitor.message();
  for (const name in fields) {
    if (SILENT_FIELDS.has(name)) continue;
    const isQuoted = context.isQuoted || !CONTENT_FIELDS.has(name);
    walkPart(fields[name], walk, { depth: context.depth + 1, isQuoted });
  }
}

/**
 * The media part that an object represents, if any: OpenAI `image_url`, `input_image`,
 * `input_audio`, `file`, Claude `image` and `document` with a `source`, Gemini `inlineData` and
 * `fileData`.
 */
function mediaOf(part: JsonFields): MediaPart | undefined {
  const inline = part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data;
  if (isFields(inline)) {
    const mime = inline.mimeType ?? inline.mime_type;
    return {
      kind: kindOfMime(typeof mime === 'string' ? mime : ''),
      data: textOf(inline.data),
      detail: '',
    };
  }
  if (typeof part.type !== 'string') return undefined;
  const kind = MEDIA_TYPES.get(part.type);
  if (!kind) return undefined;
  const holder =
    part[part.type] ?? part.image_url ?? part.source ?? part.file_data ?? part.file_url;
  const inner = isFields(holder) ? holder : part;
  // A document given as text is counted as text.
  if (inner.type === 'text' || inner.type === 'content') return undefined;
  const data = isFields(holder) ? (holder.url ?? holder.data ?? holder.file_data) : holder;
  return { kind, data: textOf(data), detail: textOf(inner.detail ?? part.detail) };
}

const MEDIA_TYPES: ReadonlyMap<string, MediaPart['kind']> = new Map([
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['image', 'image'],
  ['input_audio', 'audio'],
  ['audio', 'audio'],
  ['audio_url', 'audio'],
  ['file', 'file'],
  ['input_file', 'file'],
  ['document', 'file'],
  ['video_url', 'file'],
  ['video', 'file'],
]);

function kindOfMime(mime: string): MediaPart['kind'] {
  if (mime.startsWith('image/')) return 'image';
  return mime.startsWith('audio/') ? 'audio' : 'file';
}

/** Visits every key and string of a value, within the bounds; other scalars as one character. */
export function walkValues(
  value: unknown,
  meet: (text: string) => void,
  depth = 0,
  budget = { left: MAX_NODES },
): void {
  if (budget.left-- <= 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') meet(value);
  else if (typeof value === 'number' || typeof value === 'boolean') meet('1');
  else if (Array.isArray(value))
    for (const item of value) walkValues(item, meet, depth + 1, budget);
  else if (isFields(value)) {
    for (const [key, item] of Object.entries(value)) {
      meet(key);
      walkValues(item, meet, depth + 1, budget);
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
