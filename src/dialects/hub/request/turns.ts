/** Reorders conversations for Anthropic and Gemini, which require alternating turns. */
import { type Block, summaryIn } from '../blocks.ts';
import type { HubMessage, HubRequest } from './request.ts';

/** Merges adjacent messages of the same role and drops empty ones. */
export function mergedTurns(messages: readonly HubMessage[]): readonly HubMessage[] {
  const runs: HubMessage[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (last?.[0]?.role === message.role) last.push(message);
    else if (message.blocks.length > 0) runs.push([message]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined || run.length === 1) return run;
    return { ...first, blocks: run.flatMap(({ blocks }) => blocks) };
  });
}

/** Without what is before the last readable summary, which replaces it. */
export function fromSummary(messages: readonly HubMessage[]): readonly HubMessage[] {
  const at = messages.findLastIndex(({ blocks }) => blocks.some(isSummary));
  const [first, ...rest] = messages.slice(Math.max(0, at));
  if (at === -1 || first === undefined) return messages;
  return [{ ...first, blocks: first.blocks.slice(first.blocks.findLastIndex(isSummary)) }, ...rest];
}

function isSummary(block: Block): boolean {
  return summaryIn(block) !== undefined;
}

/** System messages in mid-conversation become user messages. */
export function systemAsUser(messages: readonly HubMessage[]): readonly HubMessage[] {
  return messages.map((message) =>
    message.role === 'system' ? { ...message, role: 'user' } : message,
  );
}

/** Moves system messages behind the messages that follow them and for which `comesFirst` holds. */
export function systemBehind<T extends { readonly role?: unknown }>(
  messages: readonly T[],
  comesFirst: (message: T) => boolean,
): readonly T[] {
  const placed: T[] = [];
  let late: T[] = [];
  for (const message of messages) {
    if (message.role === 'system') late.push(message);
    else if (comesFirst(message)) placed.push(message);
    else {
      placed.push(...late, message);
      late = [];
    }
  }
  placed.push(...late);
  return placed;
}

/** For vendors that accept nothing between a tool call and its result. */
export function systemBehindResults(messages: readonly HubMessage[]): readonly HubMessage[] {
  return systemBehind(messages, ({ blocks }) => blocks.some(({ kind }) => kind === 'tool_result'));
}

/**
 * Puts tool results at the start of the turn after their calls, in the order of the calls and
 * without duplicates. Results without a call are dropped, because vendors reject the whole request
 * for one. Expects merged turns.
 */
export function pairedResults(turns: readonly HubMessage[]): readonly HubMessage[] {
  const paired = turns.map((turn, index) => {
    if (turn.role !== 'user') return turn;
    const others = turn.blocks.filter(({ kind }) => kind !== 'tool_result');
    return { ...turn, blocks: [...resultsOf(turn, turns[index - 1]), ...others] };
  });
  return mergedTurns(paired);
}

function resultsOf(turn: HubMessage, asker: HubMessage | undefined): readonly Block[] {
  const results = new Map<string, Block>();
  for (const block of turn.blocks)
    if (block.kind === 'tool_result' && !results.has(block.callId))
      results.set(block.callId, block);
  return (asker?.blocks ?? []).flatMap((block) =>
    block.kind === 'tool_call' ? (results.get(block.id) ?? []) : [],
  );
}

/** OpenAI accepts a request with instructions only; elsewhere they are sent as a user message. */
export function withUserMessage(request: HubRequest): HubRequest {
  if (request.messages.length > 0) return request;
  return { ...request, system: [], messages: [{ role: 'user', blocks: request.system }] };
}

/** The tool names of all calls in a conversation, by call id. */
export function toolNamesByCallId(messages: readonly HubMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === 'tool_call' ? [[block.id, block.name] as const] : [],
    ),
  );
  return new Map(calls);
}
