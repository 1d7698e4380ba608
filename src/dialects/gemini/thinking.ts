/** Reads and writes Gemini's thinking configuration. */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { ThinkingName } from '../hub/capabilities.ts';
import {
  budgetOfEffort,
  type Effort,
  effortOf,
  isEffort,
  type Reasoning,
} from '../hub/thinking/reasoning.ts';
import { fieldOf, numberField, textField } from './fields.ts';
import {
  type GeminiFacts,
  type GeminiThinking,
  geminiFacts,
  type ThinkingLevel,
} from './models.ts';

/** Level and budget exclude each other; each model family supports one of them. */
export function writeThinking(reasoning: Reasoning, facts: GeminiFacts): JsonObject | undefined {
  const { thinking } = facts;
  if (thinking.kind === 'none') return undefined;
  const isOff = reasoning.mode === 'off';
  const shown = { includeThoughts: !isOff && reasoning.visible !== false };
  if (thinking.kind === 'budget')
    return { ...shown, thinkingBudget: budgetFor(reasoning, thinking) };
  const level = levelFor(reasoning, thinking.levels);
  return level === undefined ? shown : { ...shown, thinkingLevel: level };
}

const DYNAMIC = -1;

function budgetFor(
  reasoning: Reasoning,
  { min, max, canBeOff }: Extract<GeminiThinking, { kind: 'budget' }>,
): number {
  if (reasoning.mode === 'off') return canBeOff ? 0 : min;
  if (reasoning.mode === 'auto') return DYNAMIC;
  const wanted = reasoning.mode === 'budget' ? reasoning.tokens : budgetOfEffort(reasoning.level);
  return Math.min(max, Math.max(min, Math.floor(wanted)));
}

/** In order of preference. */
const LEVELS: Readonly<Record<Effort, readonly ThinkingLevel[]>> = {
  minimal: ['MINIMAL', 'LOW'],
  low: ['LOW', 'MINIMAL', 'MEDIUM'],
  medium: ['MEDIUM', 'HIGH'],
  high: ['HIGH'],
  xhigh: ['HIGH'],
  max: ['HIGH'],
};

function levelFor(
  reasoning: Reasoning,
  known: readonly ThinkingLevel[],
): ThinkingLevel | undefined {
  const effort = reasoning.mode === 'off' ? 'minimal' : effortOf(reasoning);
  if (effort === undefined) return undefined;
  return LEVELS[effort].find((level) => known.includes(level)) ?? known[0];
}

export function readThinking(config: JsonObject | undefined): Reasoning | undefined {
  if (config === undefined) return undefined;
  const shown = fieldOf(config, 'includeThoughts');
  const visible = typeof shown === 'boolean' ? { visible: shown } : {};
  const budget = numberField(config, 'thinkingBudget');
  const level = textField(config, 'thinkingLevel')?.toLowerCase();
  if (budget === 0) return { mode: 'off' };
  if (budget !== undefined && budget > 0) return { mode: 'budget', tokens: budget, ...visible };
  return isEffort(level) ? { mode: 'effort', level, ...visible } : { mode: 'auto', ...visible };
}

const ENDING = /^(.+)-(nothinking|thinking)(?:-(\d+))?$/;
const MAX_BUDGET = 24_576;

/**
 * The settings of names like `gemini-2.5-flash-thinking`, `-thinking-2048` and `-nothinking`;
 * undefined for an ordinary name. Third-generation models support all of them even if the option
 * does not list them. Call it only for names the channel does not list.
 */
export function readGeminiThinkingName(
  options: OptionValues,
  name: string,
  limit: number | undefined,
): ThinkingName | undefined {
  const [, model, ending, tokens] = ENDING.exec(name) ?? [];
  if (model === undefined || !/gemini/i.test(model)) return undefined;
  if (!options.get('gemini.thinking_adapter_enabled')) return undefined;
  const listed = options.get('gemini.models_supported_thinking_budget');
  const { thinking } = geminiFacts(model);
  if (thinking.kind !== 'level' && !listed.includes(model)) return undefined;
  if (ending === 'nothinking') return { model, reasoning: { mode: 'off' } };
  if (tokens !== undefined)
    return { model, reasoning: { mode: 'budget', tokens: Number(tokens), visible: true } };
  if (thinking.kind === 'level')
    return { model, reasoning: { mode: 'effort', level: 'high', visible: true } };
  const share = options.get('gemini.thinking_adapter_budget_tokens_percentage');
  const wanted = Math.floor((limit ?? Number.MAX_SAFE_INTEGER) * share);
  const reasoning = {
    mode: 'budget',
    tokens: Math.min(MAX_BUDGET, wanted),
    visible: true,
  } as const;
  return { model, reasoning };
}
