/**
 * Puts a key in cooldown after its upstream refused it, while the channel's other keys stay in use.
 * Longer cooldowns are shared with the other nodes and shown to operators.
 */
import type { Context } from '../../context.ts';
import { refusalReason } from '../../services/channels/channel-reasons.ts';
import {
  endKeyCooldowns,
  keyCooldownsOf,
  startKeyCooldown,
} from '../../services/channels/stored-key-cooldowns.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import { type CircuitBreakers, LONGEST_COOLDOWN_MS } from './circuit-breaker.ts';
import { type Affected, affectedBy } from './outcome-rules.ts';

/** Shorter cooldowns are not shared, because they end before other nodes could apply them. */
const MIN_SHARED_MS = 5_000;

/**
 * Applies an upstream error to the key. Returns true when the key is now in cooldown and the
 * channel has another key available.
 */
export function recordKeyRefusal(
  relay: Ports<'breakers' | 'chooser' | 'ctx' | 'inFlight'>,
  { channel, key }: Choice,
  model: string,
  error: UpstreamError,
): boolean {
  const affected = affectedBy(error);
  const hasOthers = channel.keys.length > 1;
  const cooldownMs = hasOthers ? cooldownAmongOthers(relay, error, affected) : cooldownAlone(error);
  if (cooldownMs <= 0) return false;
  const cooldownModel = affected === 'key' && hasOthers ? '' : model;
  const wasAvailable = relay.breakers.cooldownMs(key.id, cooldownModel) === 0;
  relay.breakers.startCooldown(key.id, cooldownModel, cooldownMs);
  if (wasAvailable && cooldownMs >= MIN_SHARED_MS) {
    const cooldown = {
      channelId: channel.id,
      keyId: key.id,
      model: cooldownModel,
      durationMs: cooldownMs,
      reason: refusalReason(error),
    };
    inBackground(relay, startKeyCooldown(relay.ctx, cooldown));
  }
  return hasOthers && relay.chooser.hasAvailableKey(channel, model);
}

function cooldownAmongOthers(
  relay: Ports<'ctx'>,
  error: UpstreamError,
  affected: Affected,
): number {
  if (affected !== 'key' && affected !== 'key for the model') return 0;
  const cooldownMs = error.retryAfterMs ?? relay.ctx.options().get('KeyRestSeconds') * 1000;
  return Math.min(cooldownMs, LONGEST_COOLDOWN_MS);
}

/**
 * For a channel's only key just the upstream's own retry-after is applied, as there is no key to
 * fall back to.
 */
function cooldownAlone({ status, retryAfterMs = 0 }: UpstreamError): number {
  return status === 429 ? Math.min(retryAfterMs, LONGEST_COOLDOWN_MS) : 0;
}

/** A call that pins its channel ignores cooldowns; when it succeeds, the key's cooldown ends. */
export function recordKeySuccess(
  relay: Ports<'breakers' | 'ctx' | 'inFlight'>,
  { channel, key }: Choice,
): void {
  if (!relay.breakers.endCooldown(key.id)) return;
  inBackground(relay, endKeyCooldowns(relay.ctx, { channelId: channel.id, keyIds: [key.id] }));
}

/**
 * Applies cooldowns set by other processes from now on, and those set before this process started.
 */
export async function followKeyCooldowns(ctx: Context, breakers: CircuitBreakers): Promise<void> {
  const read = async (ids: readonly number[] | 'all'): Promise<void> => {
    for (const { keyId, model, untilMs } of await keyCooldownsOf(ctx, ids))
      if (untilMs > ctx.now()) breakers.startCooldown(keyId, model, untilMs - ctx.now());
      else breakers.endCooldown(keyId);
  };
  ctx.changes.on('key_rests', read);
  await read('all');
}

/** Runs in the background: the caller does not wait for it, but shutdown does. */
function inBackground(relay: Ports<'ctx' | 'inFlight'>, stored: Promise<unknown>): void {
  const work = stored.catch((error: Error) =>
    relay.ctx.log.error({ err: error }, 'the cooldown of a key could not be announced'),
  );
  void relay.inFlight.track(work);
}
