/** Reads and writes whole answers of generateContent. */
import { emptyUsage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { AnswerCollector, type HubAnswer } from '../hub/answer/answer.ts';
import {
  answerContextOf,
  hasMultipleAnswers,
  splitAnswers,
  withOthers,
} from '../hub/answer/multiple-answers.ts';
import { STOPS } from '../hub/answer/stop.ts';
import { type Block, parsedToolArguments } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import {
  callPart,
  geminiAnswerStart,
  mediaPart,
  redactedPart,
  signaturePart,
  writeGrounding,
} from './answer-parts.ts';
import { GeminiDecoder } from './decoder.ts';
import { toGeminiUsage } from './usage.ts';

/** A whole answer has the format of a stream with one frame. */
export function readGeminiAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const [first, ...rest] = hasMultipleAnswers(context) ? splitAnswers(json, 'candidates') : [];
  if (first === undefined) return readCandidate(json, context);
  const others = rest.map((one) => readCandidate(one.json, answerContextOf(context, one.index)));
  return withOthers(readCandidate(first.json, context), others);
}

function readCandidate(json: JsonObject, context: AnswerContext): HubAnswer {
  const decoder = new GeminiDecoder(context);
  const collector = new AnswerCollector();
  collector.add(decoder.read(json));
  collector.add(decoder.end());
  return collector.answer();
}

export function writeGeminiAnswer(answer: HubAnswer, context: AnswerContext): JsonObject {
  const all = [answer, ...(answer.others ?? [])];
  return {
    candidates: all.map(writeCandidate),
    usageMetadata: toGeminiUsage(answer.usage ?? emptyUsage()),
    ...geminiAnswerStart(context),
  };
}

function writeCandidate(answer: HubAnswer, index: number): JsonObject {
  const citations = answer.blocks.flatMap((block) =>
    block.kind === 'text' ? (block.citations ?? []) : [],
  );
  return {
    content: { role: 'model', parts: answer.blocks.flatMap(writeBlock) },
    finishReason: STOPS[answer.stop].gemini,
    index,
    ...writeGrounding(citations),
  };
}

function writeBlock(block: Block): readonly JsonObject[] {
  switch (block.kind) {
    case 'text': {
      const { text, signature } = block;
      const signed = signature === undefined ? [] : [signaturePart(signature, false)];
      return [...(text === '' ? [] : [{ text }]), ...signed];
    }
    case 'refusal':
      return [{ text: block.text }];
    case 'thinking': {
      const { text, signature } = block;
      const signed = signature === undefined ? [] : [signaturePart(signature, true)];
      return [...(text === '' ? [] : [{ text, thought: true }]), ...signed];
    }
    case 'redacted_thinking':
      return [redactedPart(block)];
    case 'tool_call':
      return [callPart({ ...block, args: parsedToolArguments(block.args) })];
    case 'image':
    case 'audio':
      return mediaPart(block);
    case 'foreign':
      if (block.origin === 'gemini') return [block.value];
      return block.text === undefined ? [] : [{ text: block.text }];
    // Models never return these in an answer.
    case 'file':
    case 'tool_result':
      return [];
    default:
      return block satisfies never;
  }
}
