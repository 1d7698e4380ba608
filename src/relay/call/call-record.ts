/**
 * The state of one call, filled in by its stages. Settlement, log rows and `gateway explain` are
 * derived from it alone.
 */

import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { MediaSource } from '../../dialects/hub/blocks.ts';
import type { UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import type { FetchedMedia } from '../../dialects/hub/request/media.ts';
import type { Reasoning } from '../../dialects/hub/thinking/reasoning.ts';
import type { AnswerIdentity } from '../../dialects/openai/answer/stream-reader.ts';
import type { LoggedAttempt } from '../../domain/logs/short-facts.ts';
import type { Price } from '../../domain/pricing/price.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { CallTrace } from '../../observe/observer.ts';
import type { ProviderEndpoint } from '../../providers/rows/provider-row.ts';
import type { Trust } from '../../services/cache/credit-cache.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Permit, TokenNeed } from '../../store/kv/kv.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import type { StickyAssignment } from '../routing/sticky-channel.ts';
import type { Intent } from './call-intent.ts';
import type { Caller } from './caller.ts';
import { asksForStream, providerFor } from './channel-provider.ts';
import type { Incoming } from './incoming-call.ts';

export interface AttemptRecord extends LoggedAttempt {
  /** Why affinity chose this channel; absent when it was drawn. */
  readonly affinity?: StickyAssignment['by'];
}

/** How a call ended, for billing (docs/billing.md). */
export type Ending = 'answered' | 'upstream_broke' | 'client_left' | 'failed';

export interface NamedThinking {
  readonly reasoning: Reasoning;
  readonly maxTokens?: number;
}

export class CallRecord {
  readonly incoming: Incoming;
  /** In the group that is tried now, or was tried last. */
  caller: Caller;
  /** The client's request, with an output limit added if it set none and the balance is low. */
  intent: Intent;
  readonly attempts: AttemptRecord[] = [];
  groupRatio = 1;
  price: Price | undefined;
  hold: HeldUnits | undefined;
  /** Most units that the call may cost; undefined without a limit. */
  allowedUnits: number | undefined;
  /** Output token limit that the gateway added. */
  cappedAt: number | undefined;
  /** Set instead of `hold` when the account is far above the balance it needs. */
  trusted: Trust | undefined;
  /** Permits that the call holds of its caller's caps, and of its channel's. */
  callerPermit: Permit | undefined;
  channelPermit: Permit | undefined;
  /** Tokens the call needs; computed when a cap first requires it. */
  tokenNeed: TokenNeed | undefined;
  /** The conversation that the call belongs to. */
  sticky: StickyAssignment | undefined;
  /** The channel that answered, or was tried last. */
  channel: ChannelEntry | undefined;
  /** The channel key that was used. */
  keyId = 0;
  /** The dialect of the upstream request; undefined before a channel is chosen. */
  dialect: UpstreamDialectName | undefined;
  /**
   * Drops encrypted reasoning from the history, because the channel's account cannot decrypt it.
   */
  dropsEncryptedReasoning = false;
  upstreamModel = '';
  /** Thinking settings from the suffix of the model name (`-thinking`). */
  named: NamedThinking | undefined;
  /** Images and files fetched for an upstream that accepts only bytes, by URL. */
  media: ReadonlyMap<string, FetchedMedia> | undefined;
  /** Signatures of Gemini's function calls that the client left out, by call id. */
  signatures: ReadonlyMap<string, string> | undefined;
  /** Ids of files uploaded to the upstream for this call, by source. */
  uploads: ReadonlyMap<MediaSource, string> | undefined;
  /** The service tier named in the response headers (Gemini sends it). */
  answeredTier: string | undefined;
  usage: Usage | undefined;
  /** Multiplier of a price per call: images by size and quality, searches. */
  calls = 1;
  /** Images or searches that the upstream delivered, if it reported the number. */
  units: number | undefined;
  usageSource: 'upstream' | 'estimated' | '' = '';
  ending: Ending = 'failed';
  /** Epoch ms of the first content; 0 when none arrived. */
  firstContentAtMs = 0;
  answerText = '';
  /** The trace of the call. */
  trace: CallTrace | undefined;
  /**
   * The upstream continues without a connection; the poll that sees it finish settles the call
   * (relay/responses/background-responses.ts).
   */
  inBackground?: true;
  /** Set by the first settlement, so that a call is settled only once. */
  settlement?: Promise<void>;

  constructor(incoming: Incoming, caller: Caller, intent: Intent) {
    this.incoming = incoming;
    this.caller = caller;
    this.intent = intent;
  }
}

export interface Continuation {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Set when the model differs from the previous call's. */
  readonly model?: string;
  /** Moves the hold to this record, because it is the same call. */
  readonly keepsHold?: boolean;
  readonly attempts: readonly AttemptRecord[];
}

/** A further call of the same session: same caller, channel and price, without usage. */
export function continued(before: CallRecord, next: Continuation): CallRecord {
  const { requestId, receivedAtMs, model = before.intent.model, keepsHold = false } = next;
  const sessionId = before.incoming.sessionId ?? before.incoming.requestId;
  const record = new CallRecord(
    { ...before.incoming, requestId, receivedAtMs, sessionId },
    before.caller,
    { ...before.intent, model },
  );
  record.attempts.push(...next.attempts);
  record.groupRatio = before.groupRatio;
  record.price = before.price;
  record.channel = before.channel;
  record.upstreamModel = next.model ?? before.upstreamModel;
  record.named = before.named;
  if (!keepsHold) return record;
  record.hold = before.hold;
  record.allowedUnits = before.allowedUnits;
  record.trusted = before.trusted;
  record.callerPermit = before.callerPermit;
  return record;
}

/** Turns the last attempt into a failed one when its answer broke off. */
export function markBroken(
  record: CallRecord,
  { status, code, message }: Pick<AttemptRecord, 'status' | 'code' | 'message'>,
): void {
  const last = record.attempts.pop();
  if (last !== undefined) record.attempts.push({ ...last, status, code, message });
}

/** The client's name for the model, if the upstream's name differs. */
export function clientModel(record: CallRecord): string | undefined {
  return record.upstreamModel === record.intent.model ? undefined : record.intent.model;
}

/** Whether the upstream's token counts are unreliable, so that tokens are counted here. */
export function ignoresUsage({ channel, incoming }: CallRecord): boolean {
  return channel !== undefined && providerFor(channel, incoming.dialect).streamUsage === 'never';
}

/**
 * The endpoint called at the upstream: some chat models are served by another endpoint, and some
 * other endpoints by chat.
 */
export function upstreamEndpoint({ incoming, dialect }: CallRecord): ProviderEndpoint {
  return (dialect && UPSTREAM_DIALECTS[dialect].endpoint) ?? incoming.endpoint;
}

/** Whether the upstream stores the answer for later requests. */
export function isStoredUpstream({ dialect }: Pick<CallRecord, 'dialect'>): boolean {
  return dialect !== undefined && UPSTREAM_DIALECTS[dialect].keepsAnswers === true;
}

/** Whether the client requests a background response. */
export function asksForBackground({ incoming, intent }: CallRecord): boolean {
  return clientDialect(incoming).keepsAnswers === true && intent.body.background === true;
}

/** Whether the upstream request is streamed, regardless of the client's. */
export function isUpstreamStream(record: CallRecord, channel: ChannelEntry): boolean {
  const { incoming, intent, upstreamModel } = record;
  return asksForStream(providerFor(channel, incoming.dialect), channel, {
    endpoint: upstreamEndpoint(record),
    model: upstreamModel,
    stream: intent.stream,
  });
}

/**
 * Whether the event carries side information, such as the progress of a workflow, not the answer.
 */
export function isSideEvent({ channel, incoming }: CallRecord, event: string): boolean {
  if (channel === undefined || event === '') return false;
  return providerFor(channel, incoming.dialect).answerEvents?.includes(event) === false;
}

/** The type of the chunks of a streamed answer. */
export function streamEndpoint(record: CallRecord): 'chat' | 'completions' {
  return record.incoming.endpoint === 'completions' ? 'completions' : 'chat';
}

/** The answer's id, time and model where the upstream sends none. */
export function answerIdentity(record: CallRecord): AnswerIdentity {
  const { requestId, endpoint, receivedAtMs } = record.incoming;
  return {
    id: `${endpoint === 'completions' ? 'cmpl' : 'chatcmpl'}-${requestId}`,
    createdSec: Math.floor(receivedAtMs / 1000),
    model: record.intent.model,
  };
}
