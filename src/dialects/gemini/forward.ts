/** Adapts a Gemini request for Google itself, with as few changes as possible. */
import type { JsonObject } from '../../json/read-json.ts';
import type { ForwardChanges } from '../hub/capabilities.ts';
import type { Reasoning } from '../hub/thinking/reasoning.ts';
import { objectOf, objectsOf } from './fields.ts';
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
  return { ...rest, generationConfig: { ...config, maxOutputTokens: tokens } };
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
