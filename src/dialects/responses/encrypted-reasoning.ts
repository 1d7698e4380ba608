/**
 * The field `encrypted_content` of reasoning items. OpenAI's own value is kept; signatures of other
 * vendors are packed, and those of redacted thinking are also marked. That of compaction items is
 * packed in the same way.
 */
import { type JsonObject, textIn } from '../../json/read-json.ts';
import type { RedactedThinkingBlock, Signature, ThinkingBlock } from '../hub/blocks.ts';
import { packSignature, unpackSignature } from '../hub/thinking/signature.ts';

const REDACTED = 'redacted ';

/** Marks thinking that was a message with `phase: commentary`, so that it is sent back as one. */
export const COMMENTARY: Signature = { origin: 'openai', value: 'phase=commentary' };

export function writeEncryptedReasoning(signature: Signature): string {
  return packSignature(signature, 'openai');
}

export function writeRedactedReasoning({
  origin,
  data,
}: Pick<RedactedThinkingBlock, 'origin' | 'data'>): string {
  return packSignature({ origin, value: origin === 'openai' ? data : REDACTED + data }, 'openai');
}

/** `text`: the visible reasoning of the item. */
export function readEncryptedReasoning(
  field: string,
  text: string,
): ThinkingBlock | RedactedThinkingBlock {
  const signature = unpackSignature(field, 'openai');
  const { origin, value } = signature;
  if (origin !== 'openai' && value.startsWith(REDACTED))
    return { kind: 'redacted_thinking', origin, data: value.slice(REDACTED.length) };
  return { kind: 'thinking', text, signature };
}

/** The summary of another vendor, for a compaction item. */
export function writeSummary(text: string): string {
  return packSignature({ origin: 'anthropic', value: text }, 'openai');
}

/** Undefined for OpenAI's own summary, which only OpenAI can read. */
export function readSummary(item: JsonObject): string | undefined {
  if (item.type !== 'compaction') return undefined;
  const { origin, value } = unpackSignature(textIn(item, 'encrypted_content') ?? '', 'openai');
  return origin === 'openai' ? undefined : value;
}

/** Whether OpenAI itself can read it. */
export function isReadableByOpenAi(field: string): boolean {
  return unpackSignature(field, 'openai').origin === 'openai';
}
