/** Reads and writes whole responses. Writing builds the items from the same events as a stream. */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import { eventsOf, type HubAnswer } from '../hub/answer/answer.ts';
import { effectiveStop, type Stop } from '../hub/answer/stop.ts';
import type { Block } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { withClientToolCalls } from '../hub/tools/client-tool-calls.ts';
import { responseOf, statusOf } from './answer-parts.ts';
import { ItemBuilder } from './item-builder.ts';
import { readItem } from './item-to-hub.ts';
import { RESPONSES_TOOL_NAMES } from './tool-names.ts';
import { readResponsesUsage } from './usage.ts';

export function readResponsesAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const output = objectsIn(json, 'output').flatMap(readOutputItem);
  const blocks = withClientToolCalls(output, context, RESPONSES_TOOL_NAMES);
  const hasCalls = blocks.some(({ kind }) => kind === 'tool_call');
  return {
    id: textIn(json, 'id'),
    model: textIn(json, 'model'),
    blocks,
    stop: effectiveStop(stopOf(json), hasCalls),
    usage: readResponsesUsage(json),
  };
}

function readOutputItem(item: JsonObject): readonly Block[] {
  const { blocks } = readItem(item);
  return isCommentary(item) ? blocks.map(asThought) : blocks;
}

/** Commentary of the model on the way to its answer is not part of the answer. */
export function isCommentary(item: JsonObject): boolean {
  return item.phase === 'commentary';
}

function asThought(block: Block): Block {
  return block.kind === 'text' ? { kind: 'thinking', text: block.text } : block;
}

/** Undefined for an answer that ended normally. */
export function stopOf(response: JsonObject): Stop | undefined {
  if (response.status !== 'incomplete') return undefined;
  const reason = objectIn(response, 'incomplete_details')?.reason;
  return reason === 'content_filter' ? 'refusal' : 'max_tokens';
}

export function writeResponsesAnswer(answer: HubAnswer, context: AnswerContext): JsonObject {
  const builder = new ItemBuilder(context);
  for (const event of eventsOf(answer)) builder.take(event);
  builder.close();
  const { stop, usage } = answer;
  return responseOf(context, { status: statusOf(stop), output: builder.output, usage, stop });
}
