/** Reads and writes whole chat answers. */
import { readOpenAiUsage, toOpenAiUsage, withTier } from '../../../domain/pricing/usage.ts';
import { type JsonObject, objectIn, objectsIn, textIn } from '../../../json/read-json.ts';
import type { HubAnswer } from '../../hub/answer/answer.ts';
import { failureOfStop } from '../../hub/answer/failed-stop.ts';
import {
  answerContextOf,
  hasMultipleAnswers,
  splitAnswers,
  withOthers,
} from '../../hub/answer/multiple-answers.ts';
import { effectiveStop, STOPS, stopOfChat } from '../../hub/answer/stop.ts';
import { type Block, type Citation, type ToolCallBlock, textOfBlocks } from '../../hub/blocks.ts';
import type { AnswerContext } from '../../hub/dialect.ts';
import { withClientToolCalls } from '../../hub/tools/client-tool-calls.ts';
import { findUsage } from '../answer/usage-reader.ts';
import {
  answerId,
  audioOf,
  customInput,
  encryptedReasoningDetail,
  googleExtra,
  imageMarkdown,
  isCustomTool,
  signedReasoningDetail,
  writeChatCitation,
} from './chat-answer-parts.ts';
import { readCitations, readSources } from './chat-decoder.ts';
import { readAssistant } from './chat-message-to-hub.ts';
import { CHAT_TOOL_NAMES } from './chat-tool-names.ts';
import type { Place } from './reasoning-place.ts';

export function readChatAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const [first, ...rest] = hasMultipleAnswers(context) ? splitAnswers(json, 'choices') : [];
  if (first === undefined) return readChoice(json, context);
  const others = rest.map((one) => readChoice(one.json, answerContextOf(context, one.index)));
  return withOthers(readChoice(first.json, context), others);
}

function readChoice(json: JsonObject, context: AnswerContext): HubAnswer {
  const choice = objectsIn(json, 'choices')[0] ?? {};
  const message = objectIn(choice, 'message') ?? {};
  const blocks = withCitations(
    withClientToolCalls(readAssistant(message), context, CHAT_TOOL_NAMES),
    [...readCitations(message), ...readSources(json)],
  );
  const reason = textIn(choice, 'finish_reason');
  const raw = findUsage(json);
  const hasContent = blocks.some(({ kind }) => kind !== 'thinking');
  const error = hasContent ? undefined : failureOfStop(reason ?? '');
  return {
    ...(error === undefined ? {} : { error }),
    id: textIn(json, 'id'),
    model: textIn(json, 'model'),
    blocks,
    stop: effectiveStop(
      reason === undefined ? undefined : stopOfChat(reason),
      blocks.some((block) => block.kind === 'tool_call'),
    ),
    usage: raw && withTier(readOpenAiUsage(raw), json.service_tier),
  };
}

function withCitations(blocks: readonly Block[], citations: readonly Citation[]): readonly Block[] {
  const at = blocks.findIndex((block) => block.kind === 'text');
  const text = blocks[at];
  if (citations.length === 0 || text?.kind !== 'text') return blocks;
  return blocks.with(at, { ...text, citations });
}

export function writeChatAnswer(answer: HubAnswer, context: AnswerContext): JsonObject {
  const { createdSec, model } = context;
  const all = [answer, ...(answer.others ?? [])];
  return {
    id: answerId(context),
    object: 'chat.completion',
    created: createdSec,
    model,
    choices: all.map(({ blocks, stop }, index) => ({
      index,
      message: writeMessage(blocks, context),
      logprobs: null,
      finish_reason: STOPS[stop].chat,
    })),
    ...(answer.usage === undefined ? {} : { usage: toOpenAiUsage(answer.usage) }),
  };
}

function writeMessage(blocks: readonly Block[], context: AnswerContext): JsonObject {
  const calls = blocks.filter((block) => block.kind === 'tool_call');
  const thinking = blocks.flatMap((block) => (block.kind === 'thinking' ? [block.text] : []));
  const refusal = blocks.find((block) => block.kind === 'refusal');
  const audio = blocks.find((block) => block.kind === 'audio');
  const { content, annotations, details } = writeContent(blocks);
  const signed = blocks.findLast((block) => block.kind === 'text')?.signature;
  return {
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== undefined) ? null : content,
    refusal: refusal?.text ?? null,
    ...(annotations.length > 0 ? { annotations } : {}),
    ...(audio === undefined ? {} : { audio: audioOf(audio, context) }),
    ...(thinking.join('') === '' ? {} : { reasoning_content: thinking.join('') }),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...(signed?.origin === 'gemini' ? { extra_content: googleExtra(signed) } : {}),
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => writeCall(call, context)) } : {}),
  };
}

/** Joins texts and images in order, and records where sources are cited and thoughts were. */
function writeContent(blocks: readonly Block[]) {
  let content = '';
  let calls = 0;
  const annotations: JsonObject[] = [];
  const details: JsonObject[] = [];
  for (const [index, block] of blocks.entries()) {
    details.push(...writeDetail(block, index, { chars: content.length, calls }));
    if (block.kind === 'tool_call') calls += 1;
    const start = content.length;
    if (block.kind === 'image') content += imageMarkdown(block);
    else content += textOfBlocks([block], '');
    if (block.kind !== 'text') continue;
    const range = { start, end: content.length };
    annotations.push(
      ...(block.citations ?? []).map((citation) => writeChatCitation(citation, range)),
    );
  }
  return { content, annotations, details };
}

function writeDetail(block: Block, index: number, place: Place): readonly JsonObject[] {
  if (block.kind === 'redacted_thinking') return [encryptedReasoningDetail(block, index, place)];
  if (block.kind !== 'thinking' || block.signature === undefined) return [];
  const { text, signature } = block;
  return [signedReasoningDetail({ text, signature }, index, place)];
}

function writeCall(call: ToolCallBlock, context: AnswerContext): JsonObject {
  const { id, name, args, signature } = call;
  if (isCustomTool(context, name)) {
    const input = call.custom ? args : customInput(args);
    return { id, type: 'custom', custom: { name, input } };
  }
  const signed = signature?.origin === 'gemini' ? { extra_content: googleExtra(signature) } : {};
  return { id, type: 'function', function: { name, arguments: args }, ...signed };
}
