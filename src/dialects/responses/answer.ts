/** Reads and writes whole responses. Writing builds the items from the same events as a stream. */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import { eventsOf, type HubAnswer } from '../hub/answer/answer.ts';
import { effectiveStop, type Stop } from '../hub/answer/stop.ts';
import type { Block } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { withClientToolCalls } from '../hub/tools/client-tool-calls.ts';
import { responseOf, statusOf } from './answer-parts.ts';
import { COMMENTARY } from './encrypted-reasoning.ts';
import { ItemBuilder } from './item-builder.ts';
import { readItem, typeOfItem } from './item-to-hub.ts';
import { RESPONSES_TOOL_NAMES } from './tool-names.ts';
import { readResponsesUsage } from './usage.ts';

export function readResponsesAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const items = objectsIn(json, 'output');
  const isAside = items.some(isAnswerItem);
  const output = items.flatMap((item) => readOutputItem(item, isAside));
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

/** Beside an answer or a call, commentary is not part of the answer. */
function readOutputItem(item: JsonObject, isAside: boolean): readonly Block[] {
  const { blocks } = readItem(item);
  return isCommentary(item) && isAside ? blocks.map(asThought) : blocks;
}

export function isCommentary(item: JsonObject): boolean {
  return item.phase === 'commentary';
}

/** What the client asked for: a message that is not commentary, or a tool call. */
export function isAnswerItem(item: JsonObject): boolean {
  return typeOfItem(item) === 'message' ? !isCommentary(item) : isCall(item);
}

export function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function asThought(block: Block): Block {
  if (block.kind !== 'text') return block;
  return { kind: 'thinking', text: block.text, signature: COMMENTARY };
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
