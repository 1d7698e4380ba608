/** Reads and writes whole answers of the Messages dialect. */
import { emptyUsage } from '../../domain/pricing/usage.ts';
import { type JsonObject, objectIn, textIn } from '../../json/read-json.ts';
import type { HubAnswer } from '../hub/answer/answer.ts';
import { effectiveStop, STOPS, stopOfAnthropic } from '../hub/answer/stop.ts';
import { type Block, parsedToolArguments } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { packSignature } from '../hub/thinking/signature.ts';
import { withClientToolCalls } from '../hub/tools/client-tool-calls.ts';
import { anthropicMessageStart, imageText, writeAnthropicCitation } from './answer-parts.ts';
import { readBlocks, readRefusal } from './block-to-hub.ts';
import { ANTHROPIC_TOOL_NAMES } from './tool-names.ts';
import { readAnthropicUsage, toAnthropicUsage } from './usage.ts';

export function readAnthropicAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const content = [...readBlocks(json.content), ...readRefusal(json)];
  const blocks = withClientToolCalls(content, context, ANTHROPIC_TOOL_NAMES);
  const reason = textIn(json, 'stop_reason');
  const raw = objectIn(json, 'usage');
  return {
    id: textIn(json, 'id'),
    model: textIn(json, 'model'),
    blocks,
    stop: effectiveStop(
      reason === undefined ? undefined : stopOfAnthropic(reason),
      blocks.some(({ kind }) => kind === 'tool_call'),
    ),
    stopSequence: textIn(json, 'stop_sequence'),
    usage: raw === undefined ? undefined : readAnthropicUsage(raw),
  };
}

export function writeAnthropicAnswer(answer: HubAnswer, context: AnswerContext): JsonObject {
  return {
    ...anthropicMessageStart(context),
    content: answer.blocks.flatMap(writeBlock),
    stop_reason: STOPS[answer.stop].anthropic,
    stop_sequence: answer.stopSequence ?? null,
    usage: toAnthropicUsage(answer.usage ?? emptyUsage()),
  };
}

function writeBlock(block: Block): readonly JsonObject[] {
  switch (block.kind) {
    case 'text': {
      const citations = (block.citations ?? []).map(writeAnthropicCitation);
      const cited = citations.length > 0 ? { citations } : {};
      return block.text === '' ? [] : [{ type: 'text', text: block.text, ...cited }];
    }
    case 'refusal':
      return [{ type: 'text', text: block.text }];
    case 'thinking': {
      const { text: thinking, signature } = block;
      const signed = signature === undefined ? '' : packSignature(signature, 'anthropic');
      return [{ type: 'thinking', thinking, signature: signed }];
    }
    case 'redacted_thinking': {
      const data = packSignature({ origin: block.origin, value: block.data }, 'anthropic');
      return [{ type: 'redacted_thinking', data }];
    }
    case 'tool_call': {
      const { id, name, args, signature } = block;
      const call = { type: 'tool_use', id, name, input: parsedToolArguments(args) };
      if (signature === undefined) return [call];
      // Tool blocks have no signature field, so a thinking block before it carries the signature.
      const packed = packSignature(signature, 'anthropic');
      return [{ type: 'thinking', thinking: '', signature: packed }, call];
    }
    case 'image':
    case 'audio': {
      const text = imageText(block);
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'foreign':
      if (block.origin === 'anthropic') return [block.value];
      return block.text === undefined ? [] : [{ type: 'text', text: block.text }];
    // Models never return these in an answer.
    case 'file':
    case 'tool_result':
      return [];
    default:
      return block satisfies never;
  }
}
