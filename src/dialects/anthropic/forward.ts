/** Adapts a Messages request for Anthropic itself, with as few changes as possible. */
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import type { ForwardChanges } from '../hub/capabilities.ts';
import { base64Source, type FetchedMedia } from '../hub/request/media.ts';
import { budgetWithin, type Reasoning } from '../hub/thinking/reasoning.ts';
import { unpackSignature } from '../hub/thinking/signature.ts';
import { withoutBillingNote } from './billing-note.ts';
import { withoutLateSystem } from './late-system.ts';
import { claudeFacts, isClaude } from './models.ts';
import { readAnthropicRequest } from './request-to-hub.ts';
import { planThinking } from './thinking.ts';

/** The request to send upstream. */
export function forwardedAnthropicRequest(
  body: JsonObject,
  { upstreamModel, systemPrompt, thinking, media, dropsThinking }: ForwardChanges,
): JsonObject {
  const seen = media === undefined ? body : withAnthropicMedia(body, media);
  const noted = isClaude(upstreamModel) ? seen : withoutBillingNote(seen);
  const placed = claudeFacts(upstreamModel).lateSystem ? noted : withoutLateSystem(noted);
  const own = withoutThoughts(
    withAnthropicSystem(placed, systemPrompt),
    dropsThinking ? isThought : isForeignThought,
  );
  const set = thinking === undefined ? own : withAnthropicThinking(own, upstreamModel, thinking);
  return dropsThinking ? withoutBudget(set) : set;
}

/** Puts the channel's system prompt before the client's. */
function withAnthropicSystem(body: JsonObject, prompt: string): JsonObject {
  if (prompt === '') return body;
  const own = { type: 'text', text: prompt };
  const { system } = body;
  if (typeof system === 'string' && system !== '')
    return { ...body, system: `${prompt}\n\n${system}` };
  return { ...body, system: Array.isArray(system) ? [own, ...system] : prompt };
}

/** Applies the thinking settings of the model name's suffix instead of those in the body. */
function withAnthropicThinking(
  body: JsonObject,
  model: string,
  change: { readonly reasoning: Reasoning; readonly maxTokens?: number },
): JsonObject {
  const request = { ...readAnthropicRequest(body), reasoning: change.reasoning };
  const limit = change.maxTokens ?? request.maxTokens ?? 0;
  const plan = planThinking({ ...request, maxTokens: limit }, claudeFacts(model), limit);
  const { temperature: _, top_p: _topP, top_k: _topK, ...rest } = body;
  return {
    ...rest,
    max_tokens: plan.maxTokens,
    ...(plan.thinking === undefined ? {} : { thinking: plan.thinking }),
  };
}

/** The request with this output limit, which must be larger than the budget for thinking. */
export function withAnthropicLimit(body: JsonObject, tokens: number): JsonObject {
  const thinking = objectIn(body, 'thinking');
  const budget = numberIn(thinking, 'budget_tokens');
  if (budget === undefined || budget < tokens) return { ...body, max_tokens: tokens };
  const lowered = budgetWithin(budget, tokens);
  if (lowered >= tokens) return { ...withoutBudget(body), max_tokens: tokens };
  return { ...body, max_tokens: tokens, thinking: { ...thinking, budget_tokens: lowered } };
}

/** Of the search tools, which have the field. */
export function withFewerUses(body: JsonObject, uses: number): JsonObject | undefined {
  // Searches in the conversation refer to the tool.
  if (uses === 0) return undefined;
  if (!Array.isArray(body.tools)) return body;
  const tools = body.tools.map((tool: unknown) => {
    if (!isObject(tool) || !String(tool.type).startsWith('web_search_')) return tool;
    return { ...tool, max_uses: Math.min(uses, numberIn(tool, 'max_uses') ?? uses) };
  });
  return { ...body, tools };
}

/** Models that think within a budget refuse to go on after a tool call without their thinking. */
function withoutBudget(body: JsonObject): JsonObject {
  if (objectIn(body, 'thinking')?.type !== 'enabled') return body;
  const { thinking: _, ...rest } = body;
  return rest;
}

/**
 * Removes thinking from the history: that of other vendors, which earlier answers of this gateway
 * contained, because Anthropic rejects signatures of others. Returns the same object if there is
 * none.
 */
function withoutThoughts(body: JsonObject, isDropped: (block: JsonObject) => boolean): JsonObject {
  const { messages } = body;
  const isAffected = (message: JsonObject) => objectsIn(message, 'content').some(isDropped);
  if (!Array.isArray(messages) || !objectsIn(body, 'messages').some(isAffected)) return body;
  const own = messages.map((message: unknown) => {
    if (!isObject(message) || !isAffected(message)) return message;
    const content = objectsIn(message, 'content').filter((block) => !isDropped(block));
    return { ...message, content };
  });
  return { ...body, messages: own.filter((message) => !isEmptied(message)) };
}

function isEmptied(message: unknown): boolean {
  return isObject(message) && Array.isArray(message.content) && message.content.length === 0;
}

function isThought(block: JsonObject): boolean {
  return FIELDS[String(block.type)] !== undefined;
}

function isForeignThought(block: JsonObject): boolean {
  const field = FIELDS[String(block.type)];
  if (field === undefined) return false;
  const value = textIn(block, field);
  return value === undefined || unpackSignature(value, 'anthropic').origin !== 'anthropic';
}

/** The field with the signature of each kind of thinking block. */
const FIELDS: Readonly<Record<string, string>> = {
  thinking: 'signature',
  redacted_thinking: 'data',
};

/** Replaces URLs of images and documents with bytes; the same object if there are none. */
function withAnthropicMedia(
  body: JsonObject,
  fetched: ReadonlyMap<string, FetchedMedia>,
): JsonObject {
  if (fetched.size === 0) return body;
  const turnBlock = (block: unknown): unknown => {
    if (!isObject(block)) return block;
    const inner = Array.isArray(block.content) ? { content: block.content.map(turnBlock) } : {};
    const media = fetched.get(textIn(objectIn(block, 'source'), 'url') ?? '');
    return { ...block, ...inner, ...(media === undefined ? {} : { source: sourceOf(media) }) };
  };
  const messages = objectsIn(body, 'messages').map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.map(turnBlock) }
      : message,
  );
  return { ...body, messages };
}

/** Anthropic expects text documents as text, not as base64. */
function sourceOf({ mediaType, data }: FetchedMedia): JsonObject {
  const source = base64Source(data, mediaType);
  const type = source.kind === 'base64' ? source.mediaType : mediaType;
  if (!type.startsWith('text/')) return { type: 'base64', media_type: type, data };
  const text = Buffer.from(data, 'base64').toString('utf8');
  return { type: 'text', media_type: 'text/plain', data: text };
}
