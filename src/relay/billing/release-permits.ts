/** Releases the permits of a call's caps when it has ended. */
import type { Awaitable } from '../../domain/awaitable.ts';
import { totalInput, totalOutput } from '../../domain/pricing/usage.ts';
import type { Permit } from '../../store/kv/kv.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Ended } from '../call/call-end.ts';
import type { Ports } from '../call/relay-ports.ts';

/** Releases all permits at the end of a call and counts the tokens it used. */
export function releasePermits(relay: Ports<'permits'>, end: Ended): Awaitable<void> {
  const { call } = end;
  call.incoming.upload.free();
  const { callerPermit } = call;
  const { channelPermit } = call.route;
  if (callerPermit === undefined && channelPermit === undefined) return;
  return releaseAll(relay, [callerPermit, channelPermit], tokensUsedBy(end));
}

/** Releases permits that are still held although the call was not settled; no tokens count. */
export function dropPermits(relay: Ports<'permits'>, call: Admitted): Awaitable<void> {
  call.incoming.upload.free();
  const { callerPermit } = call;
  const { channelPermit } = call.route;
  if (callerPermit === undefined && channelPermit === undefined) return;
  return releaseAll(relay, [callerPermit, channelPermit], 0);
}

async function releaseAll(
  relay: Ports<'permits'>,
  permits: readonly (Permit | undefined)[],
  tokens: number | undefined,
): Promise<void> {
  for (const one of permits) if (one !== undefined) await relay.permits.release(one, tokens);
}

/** Undefined for a background answer, whose reservation counts as its usage. */
function tokensUsedBy({ ending, usage, inBackground }: Ended): number | undefined {
  if (inBackground) return undefined;
  if (ending === 'failed' || usage === undefined) return 0;
  return totalInput(usage) + totalOutput(usage);
}
