/**
 * The content of a response, independent of the dialect: the choices of a chat or text completion.
 */
import {
  type ChatBody,
  type CompletionBody,
  listOf,
  textOf,
} from '../dialects/openai/request-fields.ts';
import type { Plan } from '../plans/plan.ts';
import { sampleOf } from './schema-sample.ts';
import { cutAtStop, cutText, echo, fingerprint, piecesOf, tokensIn, tokensOf } from './text.ts';

export interface ToolCall {
  readonly id: string;
  readonly kind: 'function' | 'custom';
  readonly name: string;
  /** Streamed arguments (or a custom tool's input). */
  readonly pieces: readonly string[];
}

export interface Choice {
  readonly index: number;
  readonly reasoning: readonly string[];
  /** Response text or refusal text. */
  readonly pieces: readonly string[];
  readonly refused: boolean;
  readonly calls: readonly ToolCall[];
  /** Sends the single call in the legacy `function_call` field. */
  readonly legacyCall: boolean;
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter';
}

/** Tokens of a tool call in addition to its arguments. */
export const CALL_TOKENS = 4;

const REFUSAL_TEXT = "I'm sorry, I can't help with that request.";
const COMPLETION_TOKENS_UNLESS_TOLD = 16;

export function tokensOfChoice(choice: Choice): number {
  const calls = choice.calls.reduce((sum, call) => sum + CALL_TOKENS + tokensOf(call.pieces), 0);
  return tokensOf(choice.reasoning) + tokensOf(choice.pieces) + calls;
}

/** The choices of a chat call: a pure function of the body and the plan. */
export function chatChoices(body: ChatBody, plan: Plan): Choice[] {
  return Array.from({ length: body.n ?? 1 }, (_, index) => chatChoice(body, plan, index));
}

/** A text without anything else. */
export function plainChoice(own: Partial<Choice>): Choice {
  const nothing = { index: 0, reasoning: [], pieces: [], refused: false, calls: [] };
  return { ...nothing, legacyCall: false, finish: 'stop', ...own };
}

function chatChoice(body: ChatBody, plan: Plan, index: number): Choice {
  const base = plainChoice({ index, reasoning: reasoningOf(body) });
  const made = plannedPieces(plan);
  if (made !== undefined) return { ...base, pieces: made, finish: finishOf(plan) };
  if (plan.finish === 'refusal') {
    return { ...base, pieces: piecesOf(REFUSAL_TEXT), refused: true, finish: 'stop' };
  }
  const calls = toolCalls(body, index);
  if (calls.length > 0) return { ...base, pieces: [], calls, ...callFinish(body) };
  return limited({
    ...base,
    pieces: piecesOf(cutAtStop(chatText(body, index), body.stop)),
    finish: finishOf(plan),
    limit: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
  });
}

function finishOf(plan: Plan): Choice['finish'] {
  return plan.finish === 'content_filter' ? 'content_filter' : 'stop';
}

function callFinish(body: ChatBody): Pick<Choice, 'legacyCall' | 'finish'> {
  const legacyCall = body.tools === undefined || body.tools === null;
  return { legacyCall, finish: legacyCall ? 'function_call' : 'tool_calls' };
}

/** Text set by a plan: n numbered events, one huge event, or a given text. */
function plannedPieces(plan: Plan): readonly string[] | undefined {
  if (plan.events !== undefined) {
    const width = plan.eventBytes ?? 0;
    return Array.from({ length: plan.events }, (_, index) => `w${index} `.padEnd(width, '.'));
  }
  if (plan.megabytes !== undefined) return ['x'.repeat(Math.round(plan.megabytes * 1024 * 1024))];
  return plan.text === undefined ? undefined : piecesOf(plan.text);
}

/** Reasoning is counted first; it and the text share the client's token limit. */
function limited(choice: Choice & { readonly limit: number }): Choice {
  const { limit, ...rest } = choice;
  const reasoning = firstTokens(rest.reasoning, limit);
  const pieces = firstTokens(rest.pieces, limit - tokensOf(reasoning));
  const cut = reasoning.length < rest.reasoning.length || pieces.length < rest.pieces.length;
  return { ...rest, reasoning, pieces, finish: cut ? 'length' : rest.finish };
}

function firstTokens(pieces: readonly string[], limit: number): readonly string[] {
  let left = limit;
  return pieces.filter((piece) => {
    left -= tokensIn(piece);
    return left >= 0;
  });
}

function reasoningOf(body: ChatBody): readonly string[] {
  if (!/reason/i.test(body.model ?? '') && !wantsReasoning(body)) return [];
  return piecesOf(`The user wants an answer to: ${cutText(lastUserText(body), 80)}`);
}

/** Reads the reasoning fields of OpenAI, OpenRouter, Anthropic-compatible vendors and Qwen. */
function wantsReasoning(body: ChatBody): boolean {
  const { reasoning_effort: effort, reasoning, thinking, enable_thinking: isOn } = body;
  if (effort) return effort !== 'none';
  if (reasoning) return reasoning.enabled !== false && reasoning.effort !== 'none';
  return isOn === true || (thinking?.type ?? 'disabled') !== 'disabled';
}

function lastUserText(body: ChatBody): string {
  return textOf(body.messages.findLast((message) => message.role === 'user')?.content);
}

function chatText(body: ChatBody, index: number): string {
  const variant = (body.seed ?? 0) + index;
  const format = body.response_format;
  if (format?.type === 'json_schema') return JSON.stringify(sampleOf(format.json_schema?.schema));
  const last = body.messages.at(-1);
  const text =
    last?.role === 'tool' || last?.role === 'function'
      ? `The tool answered: ${cutText(textOf(last.content), 500)}`
      : echo(lastUserText(body), variant) + seenIn(body);
  return format?.type === 'json_object' ? JSON.stringify({ answer: text }) : text;
}

/** Describes the images in the user's last message. */
function seenIn(body: ChatBody): string {
  const content = body.messages.findLast((message) => message.role === 'user')?.content;
  const parts = Array.isArray(content) ? content : [];
  return parts
    .flatMap((part) => (part.type === 'image_url' ? [` [${nameOfImage(part)}]`] : []))
    .join('');
}

function nameOfImage({ image_url: image }: { readonly image_url?: unknown }): string {
  const url = typeof image === 'object' && image !== null && 'url' in image ? image.url : image;
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(String(url)) ?? [];
  return data === undefined
    ? `image at ${String(url)}`
    : `${mediaType} of ${Buffer.from(data, 'base64').length} bytes`;
}

interface Callable {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly parameters?: unknown;
}

function callables(body: ChatBody): Callable[] {
  const legacy = (body.functions ?? []).map((named) => ({ ...named, kind: 'function' as const }));
  const tools = (body.tools ?? []).flatMap((tool) => [
    ...(tool.function ? [{ ...tool.function, kind: 'function' as const }] : []),
    ...(tool.custom ? [{ ...tool.custom, kind: 'custom' as const }] : []),
  ]);
  return body.tools ? tools : legacy;
}

/**
 * The tools to call: the required one, else those named by the user, else the first if one is
 * required.
 */
function chosenTools(body: ChatBody): Callable[] {
  const known = callables(body);
  const toolChoice = body.tool_choice ?? body.function_call ?? 'auto';
  if (toolChoice === 'none') return [];
  if (typeof toolChoice !== 'string') {
    const name = toolChoice.function?.name ?? toolChoice.custom?.name ?? toolChoice.name;
    if (typeof name === 'string') return known.filter((tool) => tool.name === name);
  }
  const answered = body.messages.at(-1)?.role;
  if (answered === 'tool' || answered === 'function') return [];
  const prompt = lastUserText(body);
  const named = known.filter((tool) => prompt.includes(tool.name));
  return named.length === 0 && toolChoice === 'required' ? known.slice(0, 1) : named;
}

function toolCalls(body: ChatBody, index: number): ToolCall[] {
  const chosen = chosenTools(body);
  const single = body.parallel_tool_calls === false || !body.tools;
  return chosen.slice(0, single ? 1 : chosen.length).map((tool, number) => ({
    id: `call_${fingerprint(`${tool.name}/${index}/${number}`).slice(0, 24)}`,
    kind: tool.kind,
    name: tool.name,
    pieces: piecesOf(
      tool.kind === 'custom' ? lastUserText(body) : JSON.stringify(sampleOf(tool.parameters)),
    ),
  }));
}

/** The choices of a legacy completion: n for every prompt. */
export function completionChoices(body: CompletionBody, plan: Plan): Choice[] {
  const perPrompt = body.n ?? 1;
  return listOf(body.prompt).flatMap((prompt, index) =>
    Array.from({ length: perPrompt }, (_, copy) =>
      completionChoice(body, plan, { prompt, copy, index: index * perPrompt + copy }),
    ),
  );
}

function completionChoice(
  body: CompletionBody,
  plan: Plan,
  source: { prompt: string | readonly number[]; copy: number; index: number },
): Choice {
  const { prompt, copy, index } = source;
  const text = typeof prompt === 'string' ? prompt : `${prompt.length} tokens`;
  const base = plainChoice({ index });
  const made = plannedPieces(plan);
  if (made !== undefined) return { ...base, pieces: made, finish: finishOf(plan) };
  const answer = cutAtStop(echo(text, (body.seed ?? 0) + copy), body.stop);
  const choice = limited({
    ...base,
    pieces: piecesOf(answer),
    finish: finishOf(plan),
    limit: body.max_tokens ?? COMPLETION_TOKENS_UNLESS_TOLD,
  });
  return body.echo ? { ...choice, pieces: [...piecesOf(text), ...choice.pieces] } : choice;
}
