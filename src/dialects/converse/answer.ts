/** Reads whole answers of Converse. */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import type { HubAnswer } from '../hub/answer/answer.ts';
import { failureOfStop } from '../hub/answer/failed-stop.ts';
import { effectiveStop, stopOfConverse } from '../hub/answer/stop.ts';
import type { Block } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { withClientToolCalls } from '../hub/tools/client-tool-calls.ts';
import { CONVERSE_TOOL_NAMES } from './tool-names.ts';
import { readConverseUsage } from './usage.ts';

export function readConverseAnswer(json: JsonObject, context: AnswerContext): HubAnswer {
  const message = objectIn(objectIn(json, 'output'), 'message');
  const answerBlocks = objectsIn(message, 'content').flatMap(readBlock);
  const blocks = withClientToolCalls(answerBlocks, context, CONVERSE_TOOL_NAMES);
  const reason = textIn(json, 'stopReason');
  const raw = objectIn(json, 'usage');
  const hasContent = blocks.some(({ kind }) => kind !== 'thinking');
  const error = hasContent ? undefined : failureOfStop(reason ?? '');
  return {
    blocks,
    ...(error === undefined ? {} : { error }),
    stop: effectiveStop(
      reason === undefined ? undefined : stopOfConverse(reason),
      blocks.some(({ kind }) => kind === 'tool_call'),
    ),
    usage: raw === undefined ? undefined : readConverseUsage(raw),
  };
}

function readBlock(block: JsonObject): readonly Block[] {
  const text = textIn(block, 'text');
  if (text !== undefined) return [{ kind: 'text', text }];
  const thought = textIn(objectIn(objectIn(block, 'reasoningContent'), 'reasoningText'), 'text');
  if (thought !== undefined) return [{ kind: 'thinking', text: thought }];
  const call = objectIn(block, 'toolUse');
  const name = textIn(call, 'name');
  if (name === undefined) return [];
  const args = JSON.stringify(objectIn(call, 'input') ?? {});
  return [{ kind: 'tool_call', id: textIn(call, 'toolUseId') ?? '', name, args }];
}
