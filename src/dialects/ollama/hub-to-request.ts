/** Writes a request to Ollama's `/api/chat` from the hub. */

import { definedFields } from '../../domain/defined-fields.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject } from '../../json/read-json.ts';
import { type Block, parsedToolArguments, textOfBlocks } from '../hub/blocks.ts';
import type { RequestTarget } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import {
  functionsOf,
  type HubMessage,
  type HubRequest,
  NO_PARAMETERS,
  rejectMultipleAnswers,
  withAllowedToolsOnly,
} from '../hub/request/request.ts';
import { toolNamesByCallId } from '../hub/request/turns.ts';
import { effortOf, nearestEffort, type Reasoning } from '../hub/thinking/reasoning.ts';

/** @throws AppError field_wrong for more than one answer, and for images that are not bytes. */
export function writeOllamaRequest(
  given: HubRequest,
  { model, stream }: RequestTarget,
): JsonObject {
  rejectMultipleAnswers(given);
  const request = withAllowedToolsOnly(given);
  const { options, think, keep_alive, num_ctx } = extrasFor('openai', request);
  const tools = request.toolChoice?.mode === 'none' ? [] : writeTools(request);
  const written: JsonObject = {
    model,
    messages: writeMessages(request),
    stream,
    tools: tools.length === 0 ? undefined : tools,
    format: writeFormat(request),
    think: think ?? (request.reasoning && writeThink(request.reasoning)),
    keep_alive,
    options: writeOptions(request, {
      ...(num_ctx === undefined ? {} : { num_ctx }),
      ...(isObject(options) ? options : {}),
    }),
  };
  return definedFields(written);
}

function writeMessages(request: HubRequest): readonly JsonObject[] {
  const system = textOfBlocks(request.system, '\n');
  const names = toolNamesByCallId(request.messages);
  const opening = system === '' ? [] : [{ role: 'system', content: system }];
  return [...opening, ...request.messages.flatMap((message) => writeMessage(message, names))];
}

/** Tool results are separate messages, matched by the tool's name. */
function writeMessage(
  { role, blocks }: HubMessage,
  names: ReadonlyMap<string, string>,
): readonly JsonObject[] {
  const results = blocks.flatMap((block) =>
    block.kind === 'tool_result'
      ? [
          definedFields({
            role: 'tool',
            content: textOfBlocks(block.content, '\n'),
            tool_name: block.name ?? names.get(block.callId),
            tool_call_id: block.callId,
          }),
        ]
      : [],
  );
  const content = textOfBlocks(blocks, '\n');
  const thinking = blocks.map((block) => (block.kind === 'thinking' ? block.text : '')).join('');
  const images = blocks.flatMap(imageOf);
  const calls = blocks.flatMap((block) =>
    block.kind === 'tool_call'
      ? [
          {
            id: block.id,
            function: { name: block.name, arguments: parsedToolArguments(block.args) },
          },
        ]
      : [],
  );
  const isSilent = content === '' && images.length === 0 && calls.length === 0;
  if (isSilent) return results;
  const written = {
    role,
    content,
    ...(thinking === '' ? {} : { thinking }),
    ...(images.length === 0 ? {} : { images }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return [...results, written];
}

function imageOf(block: Block): readonly string[] {
  if (block.kind !== 'image') return [];
  if (block.source.kind === 'base64') return [block.source.data];
  throw wrongField('messages', 'pictures_as_bytes');
}

function writeTools(request: HubRequest): readonly JsonObject[] {
  return functionsOf(request.tools).map(({ name, description, schema }) => ({
    type: 'function',
    function: definedFields({ name, description, parameters: schema ?? NO_PARAMETERS }),
  }));
}

function writeFormat({ format }: HubRequest): unknown {
  if (format === undefined) return undefined;
  return format.kind === 'json' ? 'json' : format.schema;
}

/** A switch, or a level for models that support levels; other models treat a level as "on". */
function writeThink(reasoning: Reasoning): unknown {
  if (reasoning.mode === 'off') return false;
  const level = effortOf(reasoning);
  return level === undefined ? true : nearestEffort(level, ['low', 'medium', 'high']);
}

function writeOptions(
  { sampling, maxTokens, stop }: HubRequest,
  own: JsonObject,
): JsonObject | undefined {
  const options = definedFields({
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    stop: stop.length > 0 ? stop : undefined,
    ...own,
    // The limit that the hold covers.
    num_predict: maxTokens,
  });
  return Object.keys(options).length === 0 ? undefined : options;
}
