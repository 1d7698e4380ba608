/**
 * The signatures of Gemini's function calls for clients that have no field to send them back in,
 * kept for a limited time and shared by all nodes. If one is lost, a placeholder replaces it and only
 * the model's memory of its reasoning is missing.
 */
import type { Context } from '../../context.ts';

const LIFETIME_MS = 6 * 3_600_000;
const MAX_ID_CHARS = 200;

export function keepSignature(
  { kv }: Pick<Context, 'kv'>,
  callId: string,
  signature: string,
): void {
  if (isKeptId(callId)) void kv.put(keyOf(callId), signature, LIFETIME_MS);
}

/** By the ids of the calls, without those that are not kept. */
export async function keptSignatures(
  { kv }: Pick<Context, 'kv'>,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = callIds.filter(isKeptId);
  const kept = ids.length === 0 ? [] : await kv.read(ids.map(keyOf));
  return new Map(
    ids.flatMap((id, at) => {
      const signature = kept[at];
      return signature === undefined ? [] : [[id, signature] as const];
    }),
  );
}

function isKeptId(callId: string): boolean {
  return callId.length <= MAX_ID_CHARS;
}

function keyOf(callId: string): string {
  return `signature:${callId}`;
}
