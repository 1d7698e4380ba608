/**
 * Decides which upstreams are called in the Responses dialect, and which requests only they can
 * serve.
 */
import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { offersEndpoint } from '../../providers/requests/openai-request.ts';
import { needsResponsesApi } from '../../providers/requests/responses-models.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { isStoredUpstream, nativeField } from '../call/call-facts.ts';
import type { Admitted, Routed } from '../call/call-stages.ts';
import { providerFor } from '../call/channel-provider.ts';
import { dialectPair, requestOf, upstreamDialect } from '../call/dialect-pair.ts';
import { UpstreamFailure } from '../failures/failed-attempt.ts';

/**
 * Channels whose servers turned out to lack the endpoint although their provider has it: type 1 is
 * any OpenAI-compatible server. Editing a channel creates a new entry, which is tried again.
 */
const chatOnly = new WeakSet<ChannelEntry>();

export function hasResponsesApi(channel: ChannelEntry): boolean {
  if (channel.setting.chatOnly || chatOnly.has(channel)) return false;
  return offersEndpoint(providerFor(channel), 'responses');
}

/** The upstream dialect of the call on this channel. */
export function dialectOfCall(
  call: Pick<Admitted, 'incoming' | 'intent'>,
  channel: ChannelEntry,
  provider: ProviderRow,
  upstreamModel: string,
): UpstreamDialectName {
  const { incoming } = call;
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

/** @throws AppError field_wrong for requests that are never forwarded on behalf of a client. */
export function refuseConversations({ incoming, intent }: Admitted): void {
  if (!clientDialect(incoming).keepsAnswers) return;
  const { conversation } = intent.body;
  if (conversation !== undefined && conversation !== null)
    throw wrongField('conversation', 'conversation_not_kept');
}

/**
 * The call with another request for the same channel, if its error suggests one: as chat if the
 * endpoint is missing, or without earlier thinking if the upstream refused it.
 */
export function otherRequest(call: Routed, error: unknown): Routed | undefined {
  if (!(error instanceof UpstreamFailure)) return undefined;
  const refusal = call.pair?.upstream.thinkingRefusal;
  if (refusal?.isThis(error.upstream) && call.dropsThinkingOf === undefined)
    return { ...call, dropsThinkingOf: refusal.vendor };
  if (!isStoredUpstream(call)) return undefined;
  const { channel } = call;
  if (nativeField(call) !== undefined || !lacksEndpoint(call, error.upstream)) return undefined;
  chatOnly.add(channel);
  return { ...call, dialect: 'chat', pair: dialectPair(call.incoming, 'chat') };
}

const OPENAI_HOST = /^https:\/\/api\.openai\.com(\/|$)/;
/** Words in a 404 that is not about the URL. */
const OTHER_THING = /\b(model|deployment|item|file|vector|container|previous)\b/i;

function lacksEndpoint(
  { channel, provider }: Routed,
  { status, code, message }: UpstreamError,
): boolean {
  const baseUrl = channel.baseUrl || provider.baseUrl;
  if (OPENAI_HOST.test(baseUrl)) return false;
  if (status === 405 || status === 501) return true;
  return status === 404 && code !== 'model_not_found' && !OTHER_THING.test(message);
}
