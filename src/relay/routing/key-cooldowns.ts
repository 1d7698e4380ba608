/**
 * Puts a key in cooldown after its upstream refused it, while the channel's other keys stay in use.
 * Longer cooldowns are shared with the other nodes and shown to operators.
 */
import type { Context } from '../../context.ts';
import { restKey, restsOf, wakeKeys } from '../../services/channels/stored-key-cooldowns.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { type Affected, affectedBy } from '../failures/outcome-rules.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import type { Choice } from './choice.ts';
import { type Breakers, LONGEST_COOLDOWN_MS } from './circuit-breaker.ts';

/** Shorter cooldowns are not shared, because they end before other nodes could apply them. */
const LEAST_TOLD_MS = 5_000;

/**
 * Applies an upstream error to the key. Returns true when the key is now in cooldown and the
 * channel has another key available.
 */
export function noteKeyRefusal(
  relay: Relay,
  { channel, key }: Choice,
  model: string,
  said: UpstreamError,
): boolean {
  const affected = affectedBy(said);
  const hasOthers = channel.keys.length > 1;
  const restMs = hasOthers ? restAmongOthers(relay, said, affected) : restAlone(said);
  if (restMs <= 0) return false;
  const restsFor = affected === 'key' && hasOthers ? '' : model;
  const wasAwake = relay.breakers.coolingMs(key.id, restsFor) === 0;
  relay.breakers.coolDown(key.id, restsFor, restMs);
  if (wasAwake && restMs >= LEAST_TOLD_MS) {
    const reason = `${said.status} ${said.message}`;
    const rest = { channelId: channel.id, keyId: key.id, model: restsFor, restMs, reason };
    inBackground(relay, restKey(relay.ctx, rest));
  }
  return hasOthers && relay.chooser.hasAwakeKey(channel, model);
}

function restAmongOthers(relay: Relay, said: UpstreamError, affected: Affected): number {
  if (affected !== 'key' && affected !== 'key for the model') return 0;
  const restMs = said.retryAfterMs ?? relay.ctx.options().get('KeyRestSeconds') * 1000;
  return Math.min(restMs, LONGEST_COOLDOWN_MS);
}

/**
 * For a channel's only key just the upstream's own retry-after is applied, as there is no key to
 * fall back to.
 */
function restAlone({ status, retryAfterMs = 0 }: UpstreamError): number {
  return status === 429 ? Math.min(retryAfterMs, LONGEST_COOLDOWN_MS) : 0;
}

/** A call that pins its channel ignores cooldowns; when it succeeds, the key's cooldown ends. */
export function noteKeyAnswered(relay: Relay, { channel, key }: Choice): void {
  if (!relay.breakers.wake(key.id)) return;
  inBackground(relay, wakeKeys(relay.ctx, { channelId: channel.id, keyIds: [key.id] }));
}

/**
 * Applies cooldowns set by other processes from now on, and those set before this process started.
 */
export async function followKeyRests(ctx: Context, breakers: Breakers): Promise<void> {
  const read = async (ids: readonly number[] | 'all'): Promise<void> => {
    for (const { keyId, model, untilMs } of await restsOf(ctx, ids))
      if (untilMs > ctx.now()) breakers.coolDown(keyId, model, untilMs - ctx.now());
      else breakers.wake(keyId);
  };
  ctx.changes.on('key_rests', read);
  await read('all');
}

/** Runs in the background: the caller does not wait for it, but shutdown does. */
function inBackground(relay: Relay, told: Promise<unknown>): void {
  const work = told
    .catch((error: Error) =>
      relay.ctx.log.error({ err: error }, 'the cooldown of a key could not be announced'),
    )
    .finally(() => relay.inFlight.delete(work));
  relay.inFlight.add(work);
}
