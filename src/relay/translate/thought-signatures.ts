/**
 * Stores the signatures of Gemini's function calls for clients that have no field to send them back
 * in, for a limited time and shared by all nodes. If one is lost, a placeholder replaces it and
 * only the model's memory of its reasoning is missing.
 */

import type { Context } from '../../context.ts';
import type { Block } from '../../dialects/hub/blocks.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { CallRecord } from '../call/call-record.ts';
import { dialectPairOf, requestOf } from '../call/dialect-pair.ts';
import type { Relay } from '../pipeline/relay-context.ts';

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

/** Looks up, once per call, the signatures that the client left out. */
export function recallSignatures({ ctx }: Relay, record: CallRecord): Awaitable<void> {
  const pair = dialectPairOf(record);
  if (pair === undefined || pair.isSame || !pair.upstream.needsSignatures) return;
  if (record.signatures === undefined) return readSignatures(ctx, record);
}

async function readSignatures({ kv }: Pick<Context, 'kv'>, record: CallRecord): Promise<void> {
  const ids = requestOf(record).messages.flatMap(({ blocks }) => unsignedCalls(blocks));
  const requested = [...new Set(ids)].slice(-MAX_ASKED);
  const kept = requested.length === 0 ? [] : await kv.read(requested.map(keyOf));
  const found = requested.flatMap((id, index) => {
    const signature = kept[index];
    return signature === undefined ? [] : [[id, signature] as const];
  });
  record.signatures = new Map(found);
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
