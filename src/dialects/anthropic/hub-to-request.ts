/** Writes a Messages request from the hub. Anthropic rejects fields it does not know. */
import { definedFields } from '../../domain/defined-fields.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { TextBlock } from '../hub/blocks.ts';
import type { RequestTarget } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import {
  type FunctionTool,
  functionsOf,
  type HubMessage,
  type HubRequest,
  NO_PARAMETERS,
  rejectMultipleAnswers,
  type Tool,
  type ToolChoice,
  withAllowedToolsOnly,
} from '../hub/request/request.ts';
import { mergedTurns, pairedResults, systemAsUser, withUserMessage } from '../hub/request/turns.ts';
import { vendorToolName } from '../hub/tools/tool-names.ts';
import { writeAnthropicBlocks } from './hub-to-block.ts';
import { systemBehindUser, withLegalSystem } from './late-system.ts';
import { type ClaudeFacts, claudeFacts } from './models.ts';
import { strictSchema } from './schema.ts';
import { planThinking, type ThinkingPlan } from './thinking.ts';
import { ANTHROPIC_TOOL_NAMES } from './tool-names.ts';

const DEFAULT_MAX_TOKENS = 8192;

/** @throws AppError field_wrong for audio or more than one answer. */
export function writeAnthropicRequest(given: HubRequest, target: RequestTarget): JsonObject {
  rejectMultipleAnswers(given);
  const request = withAllowedToolsOnly(withUserMessage(given));
  const facts = claudeFacts(target.model);
  const defaultMaxTokens = target.anthropic?.defaultMaxTokens ?? DEFAULT_MAX_TOKENS;
  const plan = planThinking(request, facts, defaultMaxTokens);
  const stops = request.stop.filter((text) => text.trim() !== '');
  const tools = request.tools.flatMap(writeTool);
  return definedFields({
    ...extrasFor('anthropic', request),
    ...(facts.compacts ? writeCompaction(request) : {}),
    model: target.model,
    max_tokens: plan.maxTokens,
    system: writeSystem(request),
    messages: writeMessages(request.messages, facts),
    ...writeSampling(request, facts, plan),
    stop_sequences: stops.length > 0 ? stops : undefined,
    stream: target.stream ? true : undefined,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? writeToolChoice(request, facts, plan) : undefined,
    thinking: plan.thinking,
    output_config: writeOutput(request, plan),
    metadata: request.user === undefined ? undefined : { user_id: request.user },
  });
}

const JSON_ONLY: TextBlock = {
  kind: 'text',
  text: 'Answer with one valid JSON object and nothing else.',
};

/** There is no "any JSON" mode, so the system prompt asks for JSON. */
function writeSystem({ system, format }: HubRequest): readonly JsonObject[] | undefined {
  const blocks = format?.kind === 'json' ? [...system, JSON_ONLY] : system;
  const written = writeAnthropicBlocks(blocks);
  return written.length > 0 ? written : undefined;
}

const OPENING: HubMessage = { role: 'user', blocks: [{ kind: 'text', text: '...' }] };

function writeMessages(messages: readonly HubMessage[], facts: ClaudeFacts): readonly JsonObject[] {
  const conversation = facts.lateSystem
    ? systemBehindUser(messages.map(mediaAsUser))
    : systemAsUser(messages);
  const turns = pairedResults(mergedTurns(conversation));
  const written = withLegalSystem(turns.flatMap(writeMessage));
  const isAnswer = written[0]?.role === 'assistant';
  return trimmedPrefill(isAnswer ? [...writeMessage(OPENING), ...written] : written);
}

/** System messages contain only text. */
function mediaAsUser(message: HubMessage): HubMessage {
  const isPlain = message.role !== 'system' || message.blocks.every(({ kind }) => kind === 'text');
  return isPlain ? message : { ...message, role: 'user' };
}

function writeMessage({ role, blocks }: HubMessage): readonly JsonObject[] {
  const content = writeAnthropicBlocks(blocks);
  return content.length === 0 ? [] : [{ role, content }];
}

/** A prefilled answer must not end in white space. */
function trimmedPrefill(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !Array.isArray(last.content)) return messages;
  const block: JsonObject = last.content.at(-1) ?? {};
  if (block.type !== 'text') return messages;
  const content = last.content.with(-1, { ...block, text: String(block.text).trimEnd() });
  return messages.with(-1, { ...last, content });
}

function writeSampling(
  { sampling }: HubRequest,
  facts: ClaudeFacts,
  plan: ThinkingPlan,
): JsonObject {
  if (facts.sampling === 'none') return {};
  const { topP, topK } = sampling;
  if (plan.thinking?.type === 'enabled' || plan.thinking?.type === 'adaptive')
    return { top_p: topP !== undefined && topP >= 0.95 ? topP : undefined };
  // OpenAI allows values up to 2.
  const temperature =
    sampling.temperature === undefined ? undefined : Math.min(1, Math.max(0, sampling.temperature));
  const isOne = facts.sampling === 'one' && temperature !== undefined;
  return { temperature, top_p: isOne ? undefined : topP, top_k: topK };
}

/** The maximum number of searches for OpenAI's search context sizes. */
const SEARCHES: Readonly<Record<string, number>> = { low: 1, medium: 5, high: 10 };

function writeTool(tool: Tool): readonly JsonObject[] {
  switch (tool.kind) {
    case 'function':
      return [writeFunction(tool)];
    case 'custom':
      return functionsOf([tool]).map(writeFunction);
    case 'foreign':
      return tool.origin === 'anthropic' ? [tool.value] : [];
    case 'web_search': {
      if (tool.origin === 'anthropic') return [tool.value];
      const bySize = SEARCHES[String(tool.value.search_context_size)];
      const most = Math.min(bySize ?? Infinity, tool.maxUses ?? Infinity);
      const uses = most === Infinity ? {} : { max_uses: most };
      return [{ type: 'web_search_20250305', name: 'web_search', ...uses }];
    }
    default:
      return tool satisfies never;
  }
}

function writeFunction(tool: FunctionTool): JsonObject {
  const { description, schema = NO_PARAMETERS, strict, cache } = tool;
  return definedFields({
    ...extrasFor('anthropic', tool),
    name: vendorToolName(tool.name, ANTHROPIC_TOOL_NAMES),
    description,
    input_schema:
      schema.type === 'object' ? schema : { ...NO_PARAMETERS, ...schema, type: 'object' },
    strict: strict === true ? true : undefined,
    cache_control: cache,
  });
}

/** Thinking models reject a forced tool choice, so it becomes `auto`. */
function writeToolChoice(
  request: HubRequest,
  facts: ClaudeFacts,
  plan: ThinkingPlan,
): JsonObject | undefined {
  const { toolChoice, parallelTools } = request;
  const isForced = toolChoice?.mode === 'required' || toolChoice?.mode === 'tool';
  const mayForce = !facts.refusesForcedTools && !plan.isThinking;
  const choice = isForced && !mayForce ? { type: 'auto' } : choiceOf(toolChoice);
  if (parallelTools !== false || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

function choiceOf(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined;
  if (choice.mode === 'required') return { type: 'any' };
  if (choice.mode === 'tool')
    return { type: 'tool', name: vendorToolName(choice.name, ANTHROPIC_TOOL_NAMES) };
  return choice.mode === 'allowed' ? { type: 'auto' } : { type: choice.mode };
}

/** A lower trigger is refused (platform.claude.com/docs, "Compaction"). */
const LEAST_COMPACTION_TOKENS = 50_000;

function writeCompaction({ compaction }: HubRequest): JsonObject {
  if (compaction === undefined) return {};
  const { atTokens } = compaction;
  const value = Math.max(LEAST_COMPACTION_TOKENS, atTokens ?? 0);
  const trigger = atTokens === undefined ? {} : { trigger: { type: 'input_tokens', value } };
  return { context_management: { edits: [{ type: 'compact_20260112', ...trigger }] } };
}

function writeOutput({ format }: HubRequest, { effort }: ThinkingPlan): JsonObject | undefined {
  const schema = format?.kind === 'schema' ? strictSchema(format.schema) : undefined;
  if (schema === undefined && effort === undefined) return undefined;
  return definedFields({
    effort,
    format: schema === undefined ? undefined : { type: 'json_schema', schema },
  });
}
