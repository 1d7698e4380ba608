/** Plans the thinking settings of a Claude request and their effect on its other fields. */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { Block } from '../hub/blocks.ts';
import type { ThinkingName } from '../hub/capabilities.ts';
import type { HubRequest } from '../hub/request/request.ts';
import {
  budgetOfEffort,
  type Effort,
  effortOf,
  nearestEffort,
  type Reasoning,
} from '../hub/thinking/reasoning.ts';
import { type ClaudeFacts, claudeFacts } from './models.ts';

export interface ThinkingPlan {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  readonly maxTokens: number;
  /** Requested, or the model thinks by default. */
  readonly isThinking: boolean;
}

const MIN_BUDGET = 1024;
/** Tokens reserved for the answer if the budget would use the whole limit. */
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

/** A forced tool and thinking exclude each other; if only the tool is requested, it wins. */
function isForced({ toolChoice, tools }: HubRequest): boolean {
  return tools.length > 0 && (toolChoice?.mode === 'required' || toolChoice?.mode === 'tool');
}

function mayBeOff({ thinksUnasked, off }: ClaudeFacts): boolean {
  return thinksUnasked === true && off === 'disabled';
}

function planOff(facts: ClaudeFacts, unasked: ThinkingPlan): ThinkingPlan {
  // Models that do not think by default always accept `disabled`.
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

/** The limit covers thinking and answer; it is raised if thinking alone would use it up. */
function planBudget(reasoning: Reasoning, limit: number): ThinkingPlan {
  const wanted =
    reasoning.mode === 'budget'
      ? reasoning.tokens
      : budgetOfEffort(effortOf(reasoning) ?? 'medium');
  const room = limit - ANSWER_TOKENS;
  // A client's own budget is kept; a level is limited to the available tokens.
  const isOwn = reasoning.mode === 'budget';
  const budget = Math.max(MIN_BUDGET, isOwn ? Math.floor(wanted) : Math.min(wanted, room));
  const maxTokens = budget < limit ? limit : budget + ANSWER_TOKENS;
  return { thinking: { type: 'enabled', budget_tokens: budget }, maxTokens, isThinking: true };
}

/**
 * While a model continues after tool calls, the turn must start with its original thinking, and a
 * prefilled answer has none. Such a request is sent without thinking instead of failing.
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
 * The settings of a name like `claude-sonnet-4-5-thinking`; undefined for an ordinary name. Call it
 * only for names the channel does not list.
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

/** The limit for a request without one, which Anthropic would reject. */
export function defaultMaxTokens(options: OptionValues, model: string): number {
  const settings = options.get('claude.default_max_tokens');
  return settings[model] ?? settings.default ?? 8192;
}

/** The limit written for `request`. */
export function writtenMaxTokens(
  options: OptionValues,
  model: string,
  request: HubRequest,
): number {
  return planThinking(request, claudeFacts(model), defaultMaxTokens(options, model)).maxTokens;
}
