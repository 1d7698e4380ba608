/** Which upstreams are called in the Responses dialect. */
import { UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import { offersEndpoint } from '../../providers/requests/openai-request.ts';
import { needsResponsesApi } from '../../providers/requests/responses-models.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Admitted } from '../call/admitted.ts';
import { providerFor } from '../call/channel-provider.ts';
import { upstreamDialect } from '../call/dialect-pair.ts';
import { requestOf } from '../call/hub-request.ts';

/**
 * Channels whose servers turned out to lack the endpoint although their provider has it: type 1 is
 * any OpenAI-compatible server. Editing a channel creates a new entry, which is tried again.
 */
const chatOnly = new WeakSet<ChannelEntry>();

export function hasResponsesApi(channel: ChannelEntry): boolean {
  if (channel.setting.chatOnly || chatOnly.has(channel)) return false;
  return offersEndpoint(providerFor(channel), 'responses');
}

/** Records that its server lacks the endpoint. */
export function markChatOnly(channel: ChannelEntry): void {
  chatOnly.add(channel);
}

/** The upstream dialect of the call on this channel. */
export function dialectOfCall(
  call: Pick<Admitted, 'incoming' | 'intent'>,
  channel: ChannelEntry,
  upstreamModel: string,
): UpstreamDialectName {
  const { incoming } = call;
  const provider = providerFor(channel, incoming.dialect);
  const usual = upstreamDialect(provider, upstreamModel);
  const { alternative } = UPSTREAM_DIALECTS[usual];
  if (alternative === undefined || incoming.endpoint !== 'chat') return usual;
  if (!hasResponsesApi(channel)) return usual;
  if (incoming.dialect === alternative) return alternative;
  const facts = () => {
    const { tools, reasoning } = requestOf(call);
    const hasTools = tools.some(({ kind }) => kind === 'function' || kind === 'custom');
    return { hasTools, isReasoningOff: reasoning?.mode === 'off' };
  };
  const needs = needsResponsesApi(provider.slug, upstreamModel, facts);
  return needs ? alternative : usual;
}
