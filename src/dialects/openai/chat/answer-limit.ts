/** Sets the output limit of a chat request, wherever clients put limits and budgets for thinking. */
import { isObject, type JsonObject } from '../../../json/read-json.ts';
import { budgetWithin } from '../../hub/thinking/reasoning.ts';

/** `field`: the name of the limit that the model knows. */
export function withChatLimit(body: JsonObject, tokens: number, field: string): JsonObject {
  const { extra_body: extra } = body;
  const inside = isObject(extra) ? { extra_body: withoutLimits(extra, tokens) } : {};
  return { ...withoutLimits(body, tokens), ...inside, [field]: tokens };
}

function withoutLimits(
  { max_tokens: _, max_completion_tokens: _new, ...rest }: JsonObject,
  tokens: number,
): JsonObject {
  return BUDGETS.reduce((body, path) => withBudget(body, path, tokens), rest);
}

/** The fields with a budget for thinking, of Anthropic, OpenRouter, Qwen and Google. */
const BUDGETS: readonly (readonly string[])[] = [
  ['thinking', 'budget_tokens'],
  ['reasoning', 'max_tokens'],
  ['thinking_budget'],
  ['google', 'thinking_config', 'thinking_budget'],
];

function withBudget(body: JsonObject, path: readonly string[], tokens: number): JsonObject {
  const [name = '', ...rest] = path;
  const value = body[name];
  if (rest.length > 0)
    return isObject(value) ? { ...body, [name]: withBudget(value, rest, tokens) } : body;
  if (typeof value !== 'number' || value < tokens) return body;
  return { ...body, [name]: budgetWithin(value, tokens) };
}
