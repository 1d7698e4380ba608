/** Disables a key (or the whole channel) that its upstream refuses permanently. */

import { disableKey } from '../../services/channels/channel-health.ts';
import { refusalReason } from '../../services/channels/channel-reasons.ts';
import { shouldDisable } from '../../upstream-errors/error-policy.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';

/**
 * Runs in the background, because the caller does not wait for it. Decides on the upstream's
 * original error.
 */
export function reportFailure(
  relay: Ports<'ctx' | 'inFlight'>,
  { channel, key }: Choice,
  upstream: UpstreamError,
  requestId: string,
): void {
  const options = relay.ctx.options();
  if (!options.get('AutomaticDisableChannelEnabled') || !channel.autoBan) return;
  const keywords = options.get('AutomaticDisableKeywords');
  if (!shouldDisable(upstream, { channelType: channel.type, keywords })) return;
  const reason = refusalReason(upstream);
  const work = disableKey(relay.ctx, { channelId: channel.id, keyId: key.id, reason }).catch(
    (error: Error) =>
      relay.ctx.log.error(
        { err: error, channelId: channel.id, request_id: requestId },
        'a failing channel could not be disabled',
      ),
  );
  void relay.inFlight.track(work);
}
