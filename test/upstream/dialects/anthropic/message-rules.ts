/**
 * Anthropic's rules for a request beyond its field types; a violation returns status 400
 * (platform.claude.com/docs: "Tool use", "Extended thinking").
 */
import { rule } from '../schema-parts.ts';

interface Block {
  readonly type: string;
  readonly id?: unknown;
  readonly tool_use_id?: unknown;
}

interface ChatTurn {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** The fields that the rules read. */
interface ToolRequest {
  /** Clouds have the model in the path. */
  readonly model?: string;
  readonly max_tokens: number;
  readonly messages: readonly ChatTurn[];
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_k?: number | undefined;
  readonly thinking?: { readonly type: string; readonly [field: string]: unknown } | undefined;
  readonly tool_choice?: { readonly type: string } | undefined;
}

function blocksOf(message: ChatTurn | undefined): readonly Block[] {
  return message === undefined || typeof message.content === 'string' ? [] : message.content;
}

function callsOf(message: ChatTurn | undefined): readonly unknown[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

/** Every call has its result in the next message, and every result its call in the previous one. */
function pairsCalls({ messages }: ToolRequest): boolean {
  return messages.every((message, index) => {
    const results = blocksOf(message).filter((block) => block.type === 'tool_result');
    const requestedCalls = callsOf(messages[index - 1]);
    const answered = new Set(results.map((block) => block.tool_use_id));
    const areAsked = results.every((block) => requestedCalls.includes(block.tool_use_id));
    return (
      areAsked && answered.size === results.length && requestedCalls.every((id) => answered.has(id))
    );
  });
}

function hasResultsFirst({ messages }: ToolRequest): boolean {
  return messages.every((message) => {
    const kinds = blocksOf(message).map((block) => block.type === 'tool_result');
    return kinds.lastIndexOf(true) < kinds.filter(Boolean).length;
  });
}

function isThinking({ thinking }: ToolRequest): boolean {
  return thinking !== undefined && ['enabled', 'adaptive'].includes(thinking.type);
}

function hasFittingBudget({ thinking, max_tokens: limit }: ToolRequest): boolean {
  if (thinking?.type !== 'enabled') return true;
  const budget = Number(thinking.budget_tokens);
  return budget >= 1024 && budget < limit;
}

function forcesNoTool(body: ToolRequest): boolean {
  const isForced = body.tool_choice?.type === 'any' || body.tool_choice?.type === 'tool';
  return !(isForced && isThinking(body));
}

function samplesAsThinkersDo(body: ToolRequest): boolean {
  if (body.thinking?.type !== 'enabled') return true;
  return (body.temperature ?? 1) === 1 && (body.top_p ?? 1) >= 0.95 && body.top_k === undefined;
}

/** Models of the 4.5 generation accept only one of the two. */
function samplesOneWay({ model = '', temperature, top_p: topP }: ToolRequest): boolean {
  return !/-4-5/.test(model) || temperature === undefined || topP === undefined;
}

/** A turn with tool calls starts with its thinking while the model continues it. */
function keepsThoughts(body: ToolRequest): boolean {
  const at = body.messages.findLastIndex((message) => callsOf(message).length > 0);
  const goesOn = blocksOf(body.messages[at + 1]).some((block) => block.type === 'tool_result');
  if (body.thinking?.type !== 'enabled' || at < 0 || !goesOn) return true;
  if (body.messages.length > at + 2) return true;
  return /thinking$/.test(blocksOf(body.messages[at])[0]?.type ?? '');
}

export const anthropicRules = [
  rule(pairsCalls, 'each tool_use must have its tool_result in the next message', 'messages'),
  rule(hasResultsFirst, 'tool_result blocks must come first', 'messages'),
  rule(
    hasFittingBudget,
    'it must be at least 1024 and less than max_tokens',
    'thinking',
    'budget_tokens',
  ),
  rule(forcesNoTool, 'thinking may not be enabled when tool_choice forces tool use', 'tool_choice'),
  rule(samplesAsThinkersDo, 'it may only be set to 1 when thinking is enabled', 'temperature'),
  rule(samplesOneWay, 'temperature and top_p cannot both be specified for this model', 'top_p'),
  rule(keepsThoughts, 'expected thinking or redacted_thinking, but found tool_use', 'messages'),
] as const;
