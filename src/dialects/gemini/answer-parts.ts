/** Parts of Gemini answers shared by streams and whole answers. */
import type { JsonObject } from '../../json/read-json.ts';
import type { AudioBlock, Citation, ImageBlock, Signature } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import type { Vendor } from '../hub/extras.ts';
import { packSignature } from '../hub/thinking/signature.ts';
import { REDACTED } from './part-to-hub.ts';

export function geminiAnswerStart({ id, model }: AnswerContext): JsonObject {
  return { modelVersion: model, responseId: id };
}

export function signaturePart(signature: Signature, isThought: boolean): JsonObject {
  const thoughtSignature = packSignature(signature, 'gemini');
  const isForeign = signature.origin !== 'gemini';
  return { text: '', ...(isThought || isForeign ? { thought: true } : {}), thoughtSignature };
}

export function redactedPart(hidden: {
  readonly origin: Vendor;
  readonly data: string;
}): JsonObject {
  const signature = { origin: hidden.origin, value: REDACTED + hidden.data };
  return { text: '', thought: true, thoughtSignature: packSignature(signature, 'gemini') };
}

export function callPart(call: {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly signature?: Signature | undefined;
}): JsonObject {
  const { id, name, args, signature } = call;
  const signed =
    signature === undefined ? {} : { thoughtSignature: packSignature(signature, 'gemini') };
  return { functionCall: { id, name, args }, ...signed };
}

export function mediaPart({ source }: ImageBlock | AudioBlock): readonly JsonObject[] {
  if (source.kind === 'base64')
    return [{ inlineData: { mimeType: source.mediaType, data: source.data } }];
  return source.kind === 'url' ? [{ fileData: { fileUri: source.url } }] : [];
}

export function writeGrounding(citations: readonly Citation[]): JsonObject {
  if (citations.length === 0) return {};
  const groundingChunks = citations.map(({ url, title = '' }) => ({ web: { uri: url, title } }));
  return { groundingMetadata: { groundingChunks } };
}
