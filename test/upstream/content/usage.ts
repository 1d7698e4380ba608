/** The usage this upstream reports, as a pure function of request and plan. */
import {
  ChatBody,
  CompletionBody,
  EmbeddingBody,
  listOf,
  type Message,
  textOf,
} from '../dialects/openai/request-fields.ts';
import type { Plan } from '../plans/plan.ts';
import { planInModel, readPlan } from '../plans/read-plan.ts';
import { type Choice, chatChoices, completionChoices, tokensOfChoice } from './choices.ts';
import { promptTokensOf, tokensOf } from './text.ts';

/** Usage in OpenAI's form. Details appear only if the model name requests them. */
export interface Usage {
  readonly prompt_tokens: number;
  /** Absent for embeddings. */
  readonly completion_tokens?: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly audio_tokens: number;
  };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

const PER_CALL = 3;
const PER_MESSAGE = 4;
const PER_IMAGE = 85;

function messageTokens(message: Message): number {
  const parts = Array.isArray(message.content) ? message.content : [];
  const images = parts.filter((part) => part.type === 'image_url').length;
  return PER_MESSAGE + promptTokensOf(textOf(message.content)) + images * PER_IMAGE;
}

function promptOf(body: ChatBody): number {
  const messages = body.messages.reduce((sum, message) => sum + messageTokens(message), 0);
  const tools = body.tools ?? body.functions;
  return PER_CALL + messages + (tools ? promptTokensOf(JSON.stringify(tools)) : 0);
}

/**
 * Half of the prompt is read from the cache and a quarter written to it; both are part of the
 * prompt.
 */
function cachedPart(model: string | null | undefined, promptTokens: number): Partial<Usage> {
  if (!/cached/i.test(model ?? '')) return {};
  return {
    prompt_tokens_details: {
      cached_tokens: Math.floor(promptTokens / 2),
      cache_write_tokens: Math.floor(promptTokens / 4),
      audio_tokens: 0,
    },
  };
}

export function chatUsage(body: ChatBody, choices: readonly Choice[]): Usage {
  const prompt = promptOf(body);
  const completion = choices.reduce((sum, choice) => sum + tokensOfChoice(choice), 0);
  const reasoning = choices.reduce((sum, choice) => sum + tokensOf(choice.reasoning), 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...cachedPart(body.model, prompt),
    ...(reasoning > 0 ? { completion_tokens_details: { reasoning_tokens: reasoning } } : {}),
  };
}

function inputTokens(input: string | readonly number[]): number {
  return typeof input === 'string' ? promptTokensOf(input) : input.length;
}

function sumOf(inputs: readonly (string | readonly number[])[]): number {
  return inputs.reduce<number>((sum, input) => sum + inputTokens(input), 0);
}

export function completionUsage(body: CompletionBody, choices: readonly Choice[]): Usage {
  const prompt = sumOf(listOf(body.prompt));
  const completion = choices.reduce((sum, choice) => sum + tokensOfChoice(choice), 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...cachedPart(body.model, prompt),
  };
}

export function embeddingUsage(body: EmbeddingBody): Usage {
  const prompt = sumOf(listOf(body.input));
  return { prompt_tokens: prompt, total_tokens: prompt };
}

/** False if the plan omits usage from every response. */
export function sendsUsage({ usage }: Plan): boolean {
  return usage !== 'none' && usage !== 'null';
}

/** Usage after the first `completionTokens` of a response, for upstreams with running counts. */
export function usageSoFar(usage: Usage, completionTokens: number): Usage {
  return {
    ...usage,
    completion_tokens: completionTokens,
    total_tokens: usage.prompt_tokens + completionTokens,
  };
}

interface Expectation {
  readonly usage: Usage;
  /** The text of each choice. */
  readonly texts: readonly string[];
}

/**
 * The expected response to this body, for tests that compare. `plan` is the plan of a script or
 * header; without it the end of the model name is read, as for a real call. @throws if the body is
 * not a chat, legacy completion or embeddings request.
 */
export function expectedAnswer(body: unknown, plan?: Plan | string): Expectation {
  const chat = ChatBody.safeParse(body);
  if (chat.success) {
    const choices = chatChoices(chat.data, planFor(chat.data.model, plan));
    return { usage: chatUsage(chat.data, choices), texts: choices.map(joined) };
  }
  const legacy = CompletionBody.safeParse(body);
  if (legacy.success) {
    const choices = completionChoices(legacy.data, planFor(legacy.data.model, plan));
    return { usage: completionUsage(legacy.data, choices), texts: choices.map(joined) };
  }
  return { usage: embeddingUsage(EmbeddingBody.parse(body)), texts: [] };
}

/** The usage of `expectedAnswer`. */
export function expectedUsage(body: unknown, plan?: Plan | string): Usage {
  return expectedAnswer(body, plan).usage;
}

function planFor(model: string | null | undefined, plan: Plan | string | undefined): Plan {
  return readPlan(plan ?? planInModel(model ?? '') ?? {});
}

function joined(choice: Choice): string {
  return choice.pieces.join('');
}
