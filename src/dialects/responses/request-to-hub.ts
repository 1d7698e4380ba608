/**
 * Reads a Responses request into the hub (developers.openai.com/api/reference, "Create a model
 * response").
 */
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import type { Block, TextBlock } from '../hub/blocks.ts';
import { unknownFields } from '../hub/extras.ts';
import type { HubMessage, HubRequest, ResponseFormat, ToolChoice } from '../hub/request/request.ts';
import { fromSummary } from '../hub/request/turns.ts';
import { isEffort, type Reasoning } from '../hub/thinking/reasoning.ts';
import { type ReadItem, readItem } from './item-to-hub.ts';
import { type FlatNames, flatNames, isNamespace, memberIn, membersOf } from './namespaces.ts';
import { readTools } from './tools.ts';
import { validateResponses } from './validate.ts';

const KNOWN = new Set([
  'model',
  'input',
  'instructions',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tool_calls',
  'reasoning',
  'text',
  'stream',
  'stream_options',
  'user',
  'safety_identifier',
]);

/** @throws AppError field_missing, field_wrong */
export function readResponsesRequest(body: JsonObject): HubRequest {
  validateResponses(body);
  const tools = objectsIn(body, 'tools');
  const names = flatNames(tools);
  const { system, messages } = readInput(body, names);
  const parallel = body.parallel_tool_calls;
  return {
    model: String(body.model),
    stream: body.stream === true,
    system,
    messages,
    tools: readTools(tools, names, numberIn(body, 'max_tool_calls')),
    toolChoice: readToolChoice(body.tool_choice, tools, names),
    ...(typeof parallel === 'boolean' ? { parallelTools: parallel } : {}),
    maxTokens: numberIn(body, 'max_output_tokens'),
    sampling: {
      temperature: numberIn(body, 'temperature'),
      topP: numberIn(body, 'top_p'),
    },
    stop: [],
    reasoning: readReasoning(objectIn(body, 'reasoning')),
    format: readFormat(objectIn(objectIn(body, 'text'), 'format')),
    verbosity: textIn(objectIn(body, 'text'), 'verbosity'),
    user: textIn(body, 'user') ?? textIn(body, 'safety_identifier'),
    ...readCompaction(body),
    ...unknownFields('responses', body, KNOWN),
  };
}

function readInput(body: JsonObject, names: FlatNames): Pick<HubRequest, 'system' | 'messages'> {
  const { input } = body;
  const instructions = textIn(body, 'instructions');
  const items =
    typeof input === 'string'
      ? [{ role: 'user', blocks: [{ kind: 'text', text: input }] } as const]
      : objectsIn(body, 'input').map((item) => readItem(item, names));
  const firstOther = items.findIndex(({ role }) => role !== 'system');
  const opening = items.slice(0, firstOther === -1 ? items.length : firstOther);
  return {
    system: [
      ...(instructions === undefined ? [] : [{ kind: 'text', text: instructions } as const]),
      ...opening.flatMap(({ blocks }) => blocks.filter(isText)),
    ],
    messages: fromSummary(turnsOf(items.slice(opening.length))),
  };
}

function isText(block: Block): block is TextBlock {
  return block.kind === 'text';
}

/**
 * A turn is a sequence of items: reasoning, messages, each call and each result separately. The hub
 * uses one message per turn; consecutive messages without a call stay separate.
 */
function turnsOf(items: readonly ReadItem[]): readonly HubMessage[] {
  const turns: Turn[] = [];
  for (const { role, blocks } of items) {
    const last = turns.at(-1);
    const belongs = last?.role === role && (last.hasStep || last.isThought || blocks.every(isStep));
    if (last !== undefined && belongs) extend(last, blocks);
    else if (blocks.length > 0)
      turns.push(extend({ role, blocks: [], hasStep: false, isThought: true }, blocks));
  }
  return turns.map(({ role, blocks }) => ({ role, blocks }));
}

interface Turn {
  readonly role: HubMessage['role'];
  readonly blocks: Block[];
  hasStep: boolean;
  /** Only reasoning so far. */
  isThought: boolean;
}

function extend(turn: Turn, blocks: readonly Block[]): Turn {
  for (const block of blocks) turn.blocks.push(block);
  turn.hasStep ||= blocks.some(isStep);
  turn.isThought &&= blocks.every(isThought);
  return turn;
}

function isStep({ kind }: Block): boolean {
  return kind === 'tool_call' || kind === 'tool_result' || kind === 'foreign';
}

function isThought({ kind }: Block): boolean {
  return kind === 'thinking' || kind === 'redacted_thinking';
}

function readToolChoice(
  choice: unknown,
  tools: readonly JsonObject[],
  names: FlatNames,
): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  if (!isObject(choice)) return undefined;
  const chosen = (holder: JsonObject): readonly string[] => {
    if (isNamespace(holder))
      return tools
        .filter(({ name }) => name === holder.name)
        .flatMap(membersOf)
        .map(names);
    const name = textIn(holder, 'name');
    const member = memberIn(holder);
    return name === undefined ? [] : [member === undefined ? name : names(member)];
  };
  if (choice.type === 'allowed_tools') {
    const allowed = objectsIn(choice, 'tools').flatMap(chosen);
    return { mode: 'allowed', names: allowed, required: choice.mode === 'required' };
  }
  // Other choices refer to tools that only the vendor runs.
  if (choice.type !== 'function' && choice.type !== 'custom') return undefined;
  const [name] = chosen(choice);
  return name === undefined ? undefined : { mode: 'tool', name };
}

function readReasoning(reasoning: JsonObject | undefined): Reasoning | undefined {
  const effort = reasoning?.effort;
  const shown = textIn(reasoning, 'summary') === undefined ? {} : { visible: true };
  if (effort === 'none') return { mode: 'off' };
  return isEffort(effort) ? { mode: 'effort', level: effort, ...shown } : undefined;
}

function readCompaction(body: JsonObject): Pick<HubRequest, 'compaction'> {
  const entry = objectsIn(body, 'context_management').find(({ type }) => type === 'compaction');
  if (entry === undefined) return {};
  return { compaction: { atTokens: numberIn(entry, 'compact_threshold') } };
}

function readFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format?.type === 'json_object') return { kind: 'json' };
  const schema = objectIn(format, 'schema');
  if (format?.type !== 'json_schema' || schema === undefined) return undefined;
  return {
    kind: 'schema',
    name: textIn(format, 'name'),
    description: textIn(format, 'description'),
    schema,
    ...(typeof format.strict === 'boolean' ? { strict: format.strict } : {}),
  };
}
