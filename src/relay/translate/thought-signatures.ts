/**
 * Stores the signatures of Gemini's function calls for clients that have no field to send them back
 * in, for a limited time and shared by all nodes. If one is lost, a placeholder replaces it and
 * only the model's memory of its reasoning is missing.
 */

import type { Context } from '../../context.ts';
import type { Block } from '../../dialects/hub/blocks.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Routed } from '../call/call-stages.ts';
import { requestOf } from '../call/dialect-pair.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';

const LIFETIME_MS = 6 * 3_600_000;
/** Looks up at most the latest calls of a conversation. */
const MAX_ASKED = 200;
const MAX_ID_CHARS = 200;

export function keepSignature(
  { kv }: Pick<Context, 'kv'>,
  callId: string,
  signature: string,
): void {
  if (callId.length <= MAX_ID_CHARS) void kv.put(keyOf(callId), signature, LIFETIME_MS);
}

type Signatures = ReadonlyMap<string, string>;

/** What was found for earlier attempts of the call. */
const recalled = new WeakMap<Incoming, Signatures>();

/**
 * The signatures that the client left out, looked up once per call; undefined if the upstream needs
 * none.
 */
export function recallSignatures(
  { ctx }: Ports<'ctx'>,
  call: Routed,
): Awaitable<Signatures | undefined> {
  const { pair } = call;
  if (pair === undefined || pair.isSame || !pair.upstream.needsSignatures) return undefined;
  return recalled.get(call.incoming) ?? readSignatures(ctx, call);
}

async function readSignatures({ kv }: Pick<Context, 'kv'>, call: Routed): Promise<Signatures> {
  const ids = requestOf(call).messages.flatMap(({ blocks }) => unsignedCalls(blocks));
  const requested = [...new Set(ids)].slice(-MAX_ASKED);
  const kept = requested.length === 0 ? [] : await kv.read(requested.map(keyOf));
  const found = new Map<string, string>();
  for (const [index, id] of requested.entries()) {
    const signature = kept[index];
    if (signature !== undefined) found.set(id, signature);
  }
  recalled.set(call.incoming, found);
  return found;
}

function unsignedCalls(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) =>
    block.kind === 'tool_call' && block.signature === undefined && block.id.length <= MAX_ID_CHARS
      ? [block.id]
      : [],
  );
}

function keyOf(callId: string): string {
  return `signature:${callId}`;
}
