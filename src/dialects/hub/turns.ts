/** Conversations brought into the order that Anthropic and Gemini demand: turns that alternate. */
import type { Block } from './blocks.ts';
import type { HubMessage, HubRequest } from './request.ts';

/** Neighbours of one role become one message; what is left empty goes. */
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

/** System messages in mid-conversation are said by the user that follows, or by one of its own. */
export function systemAsUser(messages: readonly HubMessage[]): readonly HubMessage[] {
  return messages.map((message) =>
    message.role === 'system' ? { ...message, role: 'user' } : message,
  );
}

/**
 * Results directly after the turn that called, in the order of the calls, each once, before anything
 * else. Results nobody asked for are left out: vendors refuse the whole request for one. Expects
 * merged turns.
 */
export function pairedResults(turns: readonly HubMessage[]): readonly HubMessage[] {
  const paired = turns.map((turn, place) => {
    if (turn.role !== 'user') return turn;
    const others = turn.blocks.filter(({ kind }) => kind !== 'tool_result');
    return { ...turn, blocks: [...resultsOf(turn, turns[place - 1]), ...others] };
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

/** Instructions alone are something to answer to, at OpenAI; elsewhere a user must have said them. */
export function withSomethingSaid(request: HubRequest): HubRequest {
  if (request.messages.length > 0) return request;
  return { ...request, system: [], messages: [{ role: 'user', blocks: request.system }] };
}

/** The name of the tool behind every call of a conversation. */
export function callNames(messages: readonly HubMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === 'tool_call' ? [[block.id, block.name] as const] : [],
    ),
  );
  return new Map(calls);
}
