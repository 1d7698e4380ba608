/** Reads the content parts of Responses items in requests and answers, one function per kind. */
import { type JsonObject, numberIn, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import type { Block, Citation, ResultContent } from '../hub/blocks.ts';
import { base64Source, sourceOfUrl } from '../hub/request/media.ts';

/** A string is equivalent to one text part. */
export function readContent(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return objectsIn({ content }, 'content').flatMap(readPart);
}

/** The output of a tool. */
export function readOutput(output: unknown): readonly ResultContent[] {
  return readContent(output).filter(isResultContent);
}

function isResultContent(block: Block): block is ResultContent {
  return ['text', 'image', 'audio', 'file', 'foreign'].includes(block.kind);
}

function readPart(part: JsonObject): readonly Block[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    // Chat's type name, which some clients mix in.
    case 'text':
      return readText(part);
    case 'input_image':
      return readImage(part);
    case 'input_file':
      return readFile(part);
    case 'input_audio':
      return readAudio(part);
    case 'refusal': {
      const text = textIn(part, 'refusal');
      return text === undefined ? [] : [{ kind: 'refusal', text }];
    }
    default:
      return [{ kind: 'foreign', origin: 'responses', value: part }];
  }
}

function readText(part: JsonObject): readonly Block[] {
  const text = textIn(part, 'text');
  if (text === undefined) return [];
  const citations = objectsIn(part, 'annotations').flatMap(readAnnotation);
  return [{ kind: 'text', text, ...(citations.length > 0 ? { citations } : {}) }];
}

/** Only citations with a URL; positions in files of the vendor mean nothing elsewhere. */
export function readAnnotation(annotation: JsonObject): readonly Citation[] {
  const url = textIn(annotation, 'url');
  if (url === undefined) return [];
  return [
    {
      url,
      title: textIn(annotation, 'title'),
      start: numberIn(annotation, 'start_index'),
      end: numberIn(annotation, 'end_index'),
    },
  ];
}

function readImage(part: JsonObject): readonly Block[] {
  const url = textIn(part, 'image_url') ?? textIn(objectIn(part, 'image_url'), 'url');
  const id = textIn(part, 'file_id');
  const written = textIn(part, 'detail');
  // This dialect writes the default explicitly.
  const detail = written === 'auto' ? undefined : written;
  if (url !== undefined) return [{ kind: 'image', source: sourceOfUrl(url), detail }];
  if (id === undefined) return [];
  return [{ kind: 'image', source: { kind: 'stored', origin: 'openai', id }, detail }];
}

function readFile(part: JsonObject): readonly Block[] {
  const name = textIn(part, 'filename');
  const data = textIn(part, 'file_data');
  const url = textIn(part, 'file_url');
  const id = textIn(part, 'file_id');
  if (data !== undefined) {
    const source = /^data:/i.test(data) ? sourceOfUrl(data) : base64Source(data, '');
    return [{ kind: 'file', source, name }];
  }
  if (url !== undefined) return [{ kind: 'file', source: sourceOfUrl(url), name }];
  if (id === undefined) return [];
  return [{ kind: 'file', source: { kind: 'stored', origin: 'openai', id }, name }];
}

function readAudio(part: JsonObject): readonly Block[] {
  const audio = objectIn(part, 'input_audio') ?? part;
  const data = textIn(audio, 'data');
  if (data === undefined) return [];
  const source = base64Source(data, `audio/${textIn(audio, 'format') ?? 'wav'}`);
  return [{ kind: 'audio', source }];
}
