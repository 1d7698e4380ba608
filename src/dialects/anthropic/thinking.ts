/** How a Claude model is told to think, and what that does to the rest of a request. */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { Block } from '../hub/blocks.ts';
import type { ThinkingName } from '../hub/capabilities.ts';
import {
  budgetOfEffort,
  type Effort,
  effortOf,
  nearestEffort,
  type Reasoning,
} from '../hub/reasoning.ts';
import type { HubRequest } from '../hub/request.ts';
import { type ClaudeFacts, claudeFacts } from './models.ts';

export interface ThinkingPlan {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  readonly maxTokens: number;
  /** Asked for, or the model does it unasked. */
  readonly isThinking: boolean;
}

const MIN_BUDGET = 1024;
/** What the answer itself is left with when a budget would take it all. */
const ANSWER_TOKENS = 1024;

export function planThinking(
  request: HubRequest,
  facts: ClaudeFacts,
  defaultMaxTokens: number,
): ThinkingPlan {
  const maxTokens = request.maxTokens ?? defaultMaxTokens;
  const { reasoning } = request;
  const unasked = { maxTokens, isThinking: facts.thinksUnasked === true };
  if (facts.thinking === 'none') return { maxTokens, isThinking: false };
  if (reasoning === undefined)
    return isForced(request) && mayBeOff(facts) ? planOff(facts, unasked) : unasked;
  if (reasoning.mode === 'off') return planOff(facts, unasked);
  if (facts.thinking === 'adaptive') return planAdaptive(reasoning, facts, maxTokens);
  return lacksThoughts(request)
    ? { maxTokens, isThinking: false }
    : planBudget(reasoning, maxTokens);
}

/** A forced tool and thinking exclude each other; where the client wants only the first, it wins. */
function isForced({ toolChoice, tools }: HubRequest): boolean {
  return tools.length > 0 && (toolChoice?.mode === 'required' || toolChoice?.mode === 'tool');
}

function mayBeOff({ thinksUnasked, off }: ClaudeFacts): boolean {
  return thinksUnasked === true && off === 'disabled';
}

function planOff(facts: ClaudeFacts, unasked: ThinkingPlan): ThinkingPlan {
  // Models that do not think unasked need not be told.
  if (!facts.thinksUnasked) return { ...unasked, thinking: { type: 'disabled' } };
  if (facts.off === 'lowest')
    return { ...unasked, effort: nearestEffort('minimal', facts.efforts) };
  return {
    ...unasked,
    thinking: { type: facts.off },
    isThinking: facts.off === 'between_tools',
  };
}

function planAdaptive(reasoning: Reasoning, facts: ClaudeFacts, maxTokens: number): ThinkingPlan {
  const level = effortOf(reasoning);
  const effort = level === undefined ? undefined : nearestEffort(level, facts.efforts);
  const display = reasoning.visible === false ? 'omitted' : 'summarized';
  return {
    thinking: { type: 'adaptive', display },
    ...(effort === undefined ? {} : { effort }),
    maxTokens,
    isThinking: true,
  };
}

/** The limit holds thoughts and answer: it grows where the thoughts alone would fill it. */
function planBudget(reasoning: Reasoning, limit: number): ThinkingPlan {
  const wanted =
    reasoning.mode === 'budget'
      ? reasoning.tokens
      : budgetOfEffort(effortOf(reasoning) ?? 'medium');
  const room = limit - ANSWER_TOKENS;
  // A number of the client's own is kept; a level takes what there is.
  const isOwn = reasoning.mode === 'budget';
  const budget = Math.max(MIN_BUDGET, isOwn ? Math.floor(wanted) : Math.min(wanted, room));
  const maxTokens = budget < limit ? limit : budget + ANSWER_TOKENS;
  return { thinking: { type: 'enabled', budget_tokens: budget }, maxTokens, isThinking: true };
}

/**
 * A turn that called a tool must begin with the thoughts it was called with, as long as the model
 * goes on with it, and an answer begun for the model has none. Such a call is answered without
 * thinking rather than not at all.
 */
function lacksThoughts({ messages }: HubRequest): boolean {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const turn = messages[at];
  if (turn === undefined) return false;
  const after = messages.slice(at + 1).flatMap(({ blocks }) => blocks);
  if (after.length === 0) return true;
  return after.some(({ kind }) => kind === 'tool_result') && !turn.blocks.some(isOwnThought);
}

function isOwnThought(block: Block): boolean {
  if (block.kind === 'thinking') return block.signature?.origin === 'anthropic';
  return block.kind === 'redacted_thinking' && block.origin === 'anthropic';
}

const ENDING = '-thinking';
const MIN_LIMIT = 1280;

/**
 * What a name like `claude-sonnet-4-5-thinking` asks for; undefined when it is an ordinary name. Ask
 * only for a name that the channel does not list itself.
 */
export function readThinkingName(
  options: OptionValues,
  name: string,
  limit: number | undefined,
): ThinkingName | undefined {
  if (!options.get('claude.thinking_adapter_enabled')) return undefined;
  if (!name.endsWith(ENDING) || !/claude/i.test(name)) return undefined;
  const model = name.slice(0, -ENDING.length);
  if (claudeFacts(model).thinking !== 'budget')
    return { model, reasoning: { mode: 'auto', visible: true } };
  const maxTokens = Math.max(MIN_LIMIT, limit ?? defaultMaxTokens(options, name));
  const share = options.get('claude.thinking_adapter_budget_tokens_percentage');
  return { model, maxTokens, reasoning: { mode: 'budget', tokens: Math.floor(maxTokens * share) } };
}

/** The limit of a request without one, which Anthropic refuses. */
export function defaultMaxTokens(options: OptionValues, model: string): number {
  const settings = options.get('claude.default_max_tokens');
  return settings[model] ?? settings.default ?? 8192;
}

/** The limit that is written for `request`. */
export function writtenLimit(options: OptionValues, model: string, request: HubRequest): number {
  return planThinking(request, claudeFacts(model), defaultMaxTokens(options, model)).maxTokens;
}
