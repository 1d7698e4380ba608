/** Chat completions, streamed and non-streamed, in the formats of OpenAI and Azure. */

import { type Chunk, type ChunkHead, interleave, type Stream } from '../../answers/chunk.ts';
import { CALL_TOKENS, type Choice, chatChoices, type ToolCall } from '../../content/choices.ts';
import { tokensIn } from '../../content/text.ts';
import { chatUsage, type Usage } from '../../content/usage.ts';
import type { Plan } from '../../plans/plan.ts';
import type { ChatBody } from './request-fields.ts';

/** Everything except the request body that affects a response. */
export interface Setting {
  readonly id: string;
  readonly model: string;
  readonly plan: Plan;
  readonly azure: boolean;
}

export interface Composed {
  readonly usage: Usage;
  readonly plain: Readonly<Record<string, unknown>>;
  readonly stream: Stream;
}

/** All responses have the same date, so that equal requests get equal bytes. */
export const CREATED_AT_SEC = 1_767_225_600;

const SAFE = { filtered: false, severity: 'safe' } as const;
const FILTER_RESULTS = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE } as const;
const PROMPT_FILTER = [{ prompt_index: 0, content_filter_results: FILTER_RESULTS }] as const;

/** The response to a chat call in both forms. The stream is composed only when it is read. */
export function composeChat(body: ChatBody, setting: Setting): Composed {
  const choices = chatChoices(body, setting.plan);
  const usage = chatUsage(body, choices);
  const shared = { service_tier: tierOf(body), system_fingerprint: 'fp_fake' };
  const names = { id: `chatcmpl-${setting.id}`, created: CREATED_AT_SEC, model: setting.model };
  return {
    usage,
    get plain() {
      return {
        ...names,
        object: 'chat.completion',
        choices: choices.map((choice) => plainChoice(choice, body, setting)),
        ...shared,
        ...(setting.azure ? { prompt_filter_results: PROMPT_FILTER } : {}),
      };
    },
    get stream() {
      const head = { ...names, object: 'chat.completion.chunk', ...shared };
      return { head, usage, chunks: streamChunks(choices, body, { ...setting, head }) };
    },
  };
}

function tierOf(body: ChatBody): string {
  return body.service_tier && body.service_tier !== 'auto' ? body.service_tier : 'default';
}

function plainChoice(choice: Choice, body: ChatBody, setting: Setting) {
  const text = choice.pieces.join('');
  return {
    index: choice.index,
    message: {
      role: 'assistant',
      content: choice.refused || choice.calls.length > 0 ? null : text,
      refusal: choice.refused ? text : null,
      ...(choice.reasoning.length > 0 ? { reasoning_content: choice.reasoning.join('') } : {}),
      ...plainCalls(choice),
    },
    logprobs: body.logprobs ? logprobsOf(choice.pieces, choice.refused, body) : null,
    finish_reason: choice.finish,
    ...(setting.azure ? { content_filter_results: FILTER_RESULTS } : {}),
  };
}

function plainCalls(choice: Choice) {
  const [first] = choice.calls;
  if (first === undefined) return {};
  if (choice.legacyCall)
    return { function_call: { name: first.name, arguments: first.pieces.join('') } };
  return { tool_calls: choice.calls.map(plainCall) };
}

function plainCall(call: ToolCall) {
  const text = call.pieces.join('');
  return call.kind === 'custom'
    ? { id: call.id, type: 'custom', custom: { name: call.name, input: text } }
    : { id: call.id, type: 'function', function: { name: call.name, arguments: text } };
}

function logprobsOf(pieces: readonly string[], refused: boolean, body: ChatBody) {
  const tokens = pieces.map((piece) => {
    const token = { token: piece, logprob: -0.125, bytes: [...Buffer.from(piece)] };
    const others = Array.from({ length: body.top_logprobs ?? 0 }, (_, rank) => ({
      ...token,
      logprob: -0.125 - rank,
    }));
    return { ...token, top_logprobs: others };
  });
  return { content: refused ? null : tokens, refusal: refused ? tokens : null };
}

interface Dress extends Setting {
  readonly head: ChunkHead;
}

function streamChunks(choices: readonly Choice[], body: ChatBody, dress: Dress): Chunk[] {
  const roles = choices.map((choice) => roleChunk(choice, dress));
  const parts = interleave(choices.map((choice) => deltaChunks(choice, body, dress)));
  const ends = choices.map((choice) =>
    chunkOf({ index: choice.index, delta: {}, finish: choice.finish }, dress),
  );
  const filters = dress.plan.asyncFilter ? [asyncFilterChunk(dress)] : [];
  const all = [...roles, ...parts, ...filters, ...ends];
  return dress.azure ? [promptFilterChunk(), ...all] : all;
}

/** Azure's first chunk belongs to no completion: no choices, no id, no model. */
function promptFilterChunk(): Chunk {
  const body = { choices: [], created: 0, id: '', model: '', object: '' };
  return { body: { ...body, prompt_filter_results: PROMPT_FILTER }, tokens: 0, finishes: false };
}

function asyncFilterChunk({ head }: Dress): Chunk {
  const offsets = { check_offset: 0, start_offset: 0, end_offset: 64 };
  const verdict = { content_filter_results: FILTER_RESULTS, content_filter_offsets: offsets };
  const choice = { index: 0, finish_reason: null, ...verdict };
  return { body: { ...head, id: '', choices: [choice] }, tokens: 0, finishes: false };
}

interface Part {
  readonly index: number;
  readonly delta: Readonly<Record<string, unknown>>;
  readonly tokens?: number;
  readonly logprobs?: unknown;
  readonly finish?: Choice['finish'];
}

function chunkOf(part: Part, dress: Dress): Chunk {
  const choice = {
    index: part.index,
    delta: part.delta,
    logprobs: part.logprobs ?? null,
    finish_reason: part.finish ?? null,
    ...(dress.azure ? { content_filter_results: FILTER_RESULTS } : {}),
  };
  return {
    body: { ...dress.head, choices: [choice] },
    tokens: part.tokens ?? 0,
    finishes: part.finish !== undefined,
  };
}

function roleChunk(choice: Choice, dress: Dress): Chunk {
  const content = choice.calls.length > 0 || choice.refused ? null : '';
  return chunkOf(
    { index: choice.index, delta: { role: 'assistant', content, refusal: null } },
    dress,
  );
}

function deltaChunks(choice: Choice, body: ChatBody, dress: Dress): Chunk[] {
  const { index } = choice;
  const field = choice.refused ? 'refusal' : 'content';
  const thoughts = choice.reasoning.map((piece) =>
    chunkOf({ index, delta: { reasoning_content: piece }, tokens: tokensIn(piece) }, dress),
  );
  const words = choice.pieces.map((piece) => {
    const logprobs = body.logprobs ? logprobsOf([piece], choice.refused, body) : null;
    return chunkOf({ index, delta: { [field]: piece }, tokens: tokensIn(piece), logprobs }, dress);
  });
  return [...thoughts, ...words, ...callChunks(choice, dress)];
}

function callChunks(choice: Choice, dress: Dress): Chunk[] {
  const put = (delta: Record<string, unknown>, tokens: number) =>
    chunkOf({ index: choice.index, delta, tokens }, dress);
  if (choice.legacyCall) {
    return choice.calls.flatMap((call) => [
      put({ function_call: { name: call.name, arguments: '' } }, CALL_TOKENS),
      ...call.pieces.map((piece) => put({ function_call: { arguments: piece } }, tokensIn(piece))),
    ]);
  }
  return choice.calls.flatMap((call, index) => {
    const start = {
      index,
      id: call.id,
      type: call.kind,
      ...callBody(call, '', { name: call.name }),
    };
    return [
      put({ tool_calls: [start] }, CALL_TOKENS),
      ...call.pieces.map((piece) =>
        put({ tool_calls: [{ index, ...callBody(call, piece, {}) }] }, tokensIn(piece)),
      ),
    ];
  });
}

function callBody(call: ToolCall, text: string, name: { readonly name?: string }) {
  return call.kind === 'custom'
    ? { custom: { ...name, input: text } }
    : { function: { ...name, arguments: text } };
}
