/** Writes a Converse request from the hub. The model is in the path. */
import { definedFields } from '../../domain/defined-fields.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { TextBlock } from '../hub/blocks.ts';
import type { RequestTarget } from '../hub/dialect.ts';
import {
  type FunctionTool,
  functionsOf,
  type HubMessage,
  type HubRequest,
  NO_PARAMETERS,
  rejectMultipleAnswers,
  withAllowedToolsOnly,
} from '../hub/request/request.ts';
import { mergedTurns, pairedResults, systemAsUser, withUserMessage } from '../hub/request/turns.ts';
import { effortOf } from '../hub/thinking/reasoning.ts';
import { vendorToolName } from '../hub/tools/tool-names.ts';
import { CACHE_POINT, writeConverseBlocks } from './hub-to-block.ts';
import { type ConverseFacts, converseFacts } from './models.ts';
import { CONVERSE_TOOL_NAMES } from './tool-names.ts';

/** @throws AppError field_wrong for audio, unsupported file formats, and more than one answer. */
export function writeConverseRequest(given: HubRequest, target: RequestTarget): JsonObject {
  rejectMultipleAnswers(given);
  const request = withAllowedToolsOnly(withUserMessage(given));
  const facts = converseFacts(target.model);
  const system = writeConverseBlocks([...request.system, ...formatAsked(request)], facts);
  return definedFields({
    messages: writeMessages(request.messages, facts),
    system: system.length > 0 ? system : undefined,
    inferenceConfig: writeInference(request),
    toolConfig: writeTools(request, facts),
    additionalModelRequestFields: writeReasoning(request, facts),
  });
}

/** There is no common field for the format, so the system prompt asks for it. */
function formatAsked({ format }: HubRequest): readonly TextBlock[] {
  if (format === undefined) return [];
  const plain = 'Answer with one valid JSON object and nothing else.';
  const schema =
    format.kind === 'schema' ? ` It fits this schema: ${JSON.stringify(format.schema)}` : '';
  return [{ kind: 'text', text: plain + schema }];
}

const OPENING: JsonObject = { role: 'user', content: [{ text: '...' }] };

/** A conversation must start with the user. */
function writeMessages(
  messages: readonly HubMessage[],
  facts: ConverseFacts,
): readonly JsonObject[] {
  const turns = pairedResults(mergedTurns(systemAsUser(messages)));
  const written = turns.flatMap(({ role, blocks }) => {
    const content = withWords(writeConverseBlocks(blocks, facts));
    return content.length === 0 ? [] : [{ role, content }];
  });
  return written[0]?.role === 'assistant' ? [OPENING, ...written] : written;
}

/** A document without any text is rejected. */
function withWords(content: readonly JsonObject[]): readonly JsonObject[] {
  const isMute = content.some(({ document }) => document) && !content.some(({ text }) => text);
  return isMute ? [...content, { text: '...' }] : content;
}

function writeInference({ maxTokens, sampling, stop }: HubRequest): JsonObject | undefined {
  const { temperature, topP } = sampling;
  const stops = stop.filter((text) => text.trim() !== '');
  const config = definedFields({
    maxTokens,
    // OpenAI allows values up to 2.
    temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0, temperature)),
    topP,
    stopSequences: stops.length > 0 ? stops : undefined,
  });
  return Object.keys(config).length > 0 ? config : undefined;
}

function writeReasoning({ reasoning }: HubRequest, facts: ConverseFacts): JsonObject | undefined {
  if (reasoning === undefined || reasoning.mode === 'off') return undefined;
  return facts.reasoning?.(effortOf(reasoning) ?? 'medium');
}

function writeTools(request: HubRequest, facts: ConverseFacts): JsonObject | undefined {
  const tools = toolsOf(request);
  if (tools.length === 0) return undefined;
  const specs = tools.flatMap((tool) => {
    const spec = writeTool(tool);
    return tool.cache !== undefined && facts.cachePoints ? [spec, CACHE_POINT] : [spec];
  });
  return definedFields({ tools: specs, toolChoice: writeChoice(request, facts) });
}

/**
 * There is no choice for "no tools", so they are omitted. But a history with calls requires the
 * tools that were called, even if they are no longer offered.
 */
function toolsOf({ tools, toolChoice, messages }: HubRequest): readonly FunctionTool[] {
  const offered = functionsOf(tools);
  const called = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'tool_call' ? [block.name] : [])),
  );
  if (toolChoice?.mode === 'none' && called.length === 0) return [];
  const missing = [...new Set(called)].filter(
    (name) => !offered.some((tool) => tool.name === name),
  );
  return [...offered, ...missing.map((name) => ({ kind: 'function', name }) as const)];
}

function writeTool({ name, description, schema = NO_PARAMETERS }: FunctionTool): JsonObject {
  const json = schema.type === 'object' ? schema : { ...NO_PARAMETERS, ...schema, type: 'object' };
  return {
    toolSpec: definedFields({
      name: vendorToolName(name, CONVERSE_TOOL_NAMES),
      description: description || undefined,
      inputSchema: { json },
    }),
  };
}

/** Models that cannot be forced decide themselves, which is also the default. */
function writeChoice({ toolChoice }: HubRequest, facts: ConverseFacts): JsonObject | undefined {
  if (toolChoice === undefined || toolChoice.mode === 'none' || !facts.forcesTools)
    return undefined;
  if (toolChoice.mode === 'required') return { any: {} };
  if (toolChoice.mode === 'tool')
    return { tool: { name: vendorToolName(toolChoice.name, CONVERSE_TOOL_NAMES) } };
  return { auto: {} };
}
