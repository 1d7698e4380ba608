/** Disables a key (or the whole channel) that its upstream refuses permanently. */

import { disableKey } from '../../services/channels/channel-health.ts';
import { refusalReason } from '../../services/channels/channel-reasons.ts';
import { shouldDisable } from '../../upstream-errors/error-policy.ts';
import { occursIn } from '../../upstream-errors/repeated-text.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Admitted } from '../call/admitted.ts';
import { nativeField } from '../call/call-facts.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';

/** Longer requests are not searched, because that would delay other calls. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

/** All that the caller wrote; undefined if that is unknown. */
function sentText(call: Admitted): string | undefined {
  const { incoming, intent } = call;
  // What the upstream has stored was written by a caller too.
  if (intent.raw.length > MAX_SEARCHED_BYTES || nativeField(call) !== undefined) return undefined;
  const { path, query, headers } = incoming;
  const rest = [path, intent.model, Object.values(query), Object.values(headers)];
  return `${intent.raw.toString('utf8')}${rest.flat(2).join(' ')}`;
}

/**
 * Runs in the background, because the caller does not wait for it. Decides on the upstream's
 * original error.
 */
export function reportFailure(
  relay: Ports<'ctx' | 'inFlight'>,
  call: Admitted,
  { channel, key }: Choice,
  upstream: UpstreamError,
): void {
  const options = relay.ctx.options();
  if (!options.get('AutomaticDisableChannelEnabled') || !channel.autoBan) return;
  const keywords = options.get('AutomaticDisableKeywords');
  const isInRequest = (phrase: string) => {
    const text = sentText(call);
    return text === undefined || occursIn(text, phrase);
  };
  if (!shouldDisable(upstream, { channelType: channel.type, keywords, isInRequest })) return;
  const reason = refusalReason(upstream);
  const work = disableKey(relay.ctx, { channelId: channel.id, keyId: key.id, reason }).catch(
    (error: Error) =>
      relay.ctx.log.error(
        { err: error, channelId: channel.id, request_id: call.incoming.requestId },
        'a failing channel could not be disabled',
      ),
  );
  void relay.inFlight.track(work);
}
