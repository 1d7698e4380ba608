/** Adapts a Gemini request for Google itself, with as few changes as possible. */
import type { JsonObject } from '../../json/read-json.ts';
import type { ForwardChanges } from '../hub/capabilities.ts';
import { budgetWithin, type Reasoning } from '../hub/thinking/reasoning.ts';
import { numberField, objectOf, objectsOf } from './fields.ts';
import { geminiFacts } from './models.ts';
import { writeThinking } from './thinking.ts';

/** The request to send upstream. */
export function forwardedGeminiRequest(
  body: JsonObject,
  { upstreamModel, systemPrompt, thinking }: ForwardChanges,
): JsonObject {
  const own = withGeminiSystem(body, systemPrompt);
  return thinking === undefined ? own : withGeminiThinking(own, upstreamModel, thinking.reasoning);
}

export function withAnswerLimit(body: JsonObject, tokens: number): JsonObject {
  const { generation_config: _, ...rest } = body;
  const { max_output_tokens: _old, ...config } = objectOf(body, 'generationConfig') ?? {};
  const limited: JsonObject = { ...config, maxOutputTokens: tokens };
  const thinking = objectOf(config, 'thinkingConfig');
  const budget = numberField(thinking, 'thinkingBudget');
  if (budget === undefined || budget < tokens) return { ...rest, generationConfig: limited };
  const { thinking_budget: _budget, ...shown } = thinking ?? {};
  const thinkingConfig = { ...shown, thinkingBudget: budgetWithin(budget, tokens) };
  const { thinking_config: _config, ...others } = limited;
  return { ...rest, generationConfig: { ...others, thinkingConfig } };
}

/** Puts the channel's system prompt before the client's. */
function withGeminiSystem(body: JsonObject, prompt: string): JsonObject {
  if (prompt === '') return body;
  const { system_instruction: _, ...rest } = body;
  const own = objectsOf(objectOf(body, 'systemInstruction'), 'parts');
  return { ...rest, systemInstruction: { parts: [{ text: prompt }, ...own] } };
}

/** Applies the thinking settings of the model name's suffix instead of those in the body. */
function withGeminiThinking(body: JsonObject, model: string, reasoning: Reasoning): JsonObject {
  const thinkingConfig = writeThinking(reasoning, geminiFacts(model));
  if (thinkingConfig === undefined) return body;
  const { generation_config: _, ...rest } = body;
  const config = objectOf(body, 'generationConfig');
  return { ...rest, generationConfig: { ...config, thinkingConfig } };
}
