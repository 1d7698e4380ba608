/**
 * What is known of one call, filled in by the stages. Settlement, log row and `gateway explain`
 * are made from it and from nothing else.
 */

import { clientDialect, UPSTREAM_DIALECTS } from '../../dialects/all.ts';
import type { MediaSource } from '../../dialects/hub/blocks.ts';
import type { UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import type { FetchedMedia } from '../../dialects/hub/media.ts';
import type { Reasoning } from '../../dialects/hub/reasoning.ts';
import type { AnswerIdentity } from '../../dialects/openai/stream-reader.ts';
import type { Price } from '../../domain/pricing/pricing.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { CallTrace } from '../../observe/observer.ts';
import type { ProviderEndpoint } from '../../providers/row.ts';
import type { Trust } from '../../services/cache/credit-cache.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Share, TokenNeed } from '../../store/kv/kv.ts';
import type { Bond } from '../routing/sticky-channel.ts';
import type { Intent } from './call-intent.ts';
import type { Caller } from './caller.ts';
import { asksForStream, providerFor } from './channel-provider.ts';
import type { Incoming } from './incoming-call.ts';

export interface AttemptRecord {
  readonly channel_id: number;
  readonly channel_name: string;
  readonly key_id: number;
  readonly upstream_model: string;
  /** Status the upstream answered; 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly duration_ms: number;
  /** What brought the call here, where it was not the draw. */
  readonly affinity?: Bond['by'];
}

/** How a call ended, seen from its bill (docs/billing.md). */
export type Ending = 'answered' | 'upstream_broke' | 'client_left' | 'failed';

export interface Hold {
  readonly userUnits: number;
  readonly tokenUnits: number;
}

export interface NamedThinking {
  readonly reasoning: Reasoning;
  readonly maxTokens?: number;
}

export class CallRecord {
  readonly incoming: Incoming;
  /** In the group that is asked, or was asked last. */
  caller: Caller;
  /** What the client asked for, with a limit of ours where it gave none and the balance is short. */
  intent: Intent;
  readonly attempts: AttemptRecord[] = [];
  groupRatio = 1;
  price: Price | undefined;
  hold: Hold | undefined;
  /** Units that the call was allowed to cost; undefined where nothing bounded it. */
  allowedUnits: number | undefined;
  /** Tokens of an answer, where the gateway set the limit. */
  cappedAt: number | undefined;
  /** Set instead of `hold` when the account is far from its limits. */
  trusted: Trust | undefined;
  /** What the call has taken of the caps of its caller, and of its channel. */
  share: Share | undefined;
  channelShare: Share | undefined;
  /** Tokens, once a cap has asked. */
  tokenNeed: TokenNeed | undefined;
  /** The conversation it belongs to. */
  bond: Bond | undefined;
  /** The channel that answered, or was asked last. */
  channel: ChannelEntry | undefined;
  /** The one of its keys that was used. */
  keyId = 0;
  /** What the channel is spoken to in; undefined before there is one. */
  dialect: UpstreamDialectName | undefined;
  /** The channel's account cannot read the encrypted thoughts of the history. */
  dropsProofs = false;
  upstreamModel = '';
  /** What the ending of the model's name asks for (`-thinking`). */
  named: NamedThinking | undefined;
  /** Pictures and files fetched for an upstream that takes bytes only, by their address. */
  media: ReadonlyMap<string, FetchedMedia> | undefined;
  /** Signatures of Gemini's calls that the client left out, by the call's id. */
  signatures: ReadonlyMap<string, string> | undefined;
  /** Ids of files that were uploaded to the upstream for this call, by what they were made from. */
  uploads: ReadonlyMap<MediaSource, string> | undefined;
  /** The tier of service that the headers of the answer name (Gemini's do). */
  answeredTier: string | undefined;
  usage: Usage | undefined;
  /** How often a price per call applies: pictures by size and quality, searches. */
  calls = 1;
  /** Pictures or searches that the upstream delivered, where it told. */
  units: number | undefined;
  usageSource: 'upstream' | 'estimated' | '' = '';
  ending: Ending = 'failed';
  /** Epoch ms of the first content; 0 when none came. */
  firstContentAtMs = 0;
  answerText = '';
  /** Where this call is traced. */
  trace: CallTrace | undefined;
  /** The upstream works on without us: whoever hears its end settles (relay/responses/background-responses.ts). */
  inBackground?: true;
  /** Set by the first settlement; the call has no other. */
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
  /** Another model than the one before. */
  readonly model?: string;
  /** The reservation goes over to it: it is the same call. */
  readonly keepsHold?: boolean;
  readonly attempts: readonly AttemptRecord[];
}

/** A further call of the same session: same caller, channel and price, and nothing consumed yet. */
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
  record.share = before.share;
  return record;
}

/** An answer that broke in its middle was a failed attempt after all. */
export function noteBreak(
  record: CallRecord,
  { status, code, message }: Pick<AttemptRecord, 'status' | 'code' | 'message'>,
): void {
  const last = record.attempts.pop();
  if (last !== undefined) record.attempts.push({ ...last, status, code, message });
}

/** The client's own name for the model where the upstream knows it by another. */
export function clientModel(record: CallRecord): string | undefined {
  return record.upstreamModel === record.intent.model ? undefined : record.intent.model;
}

/** What the upstream reports of tokens means nothing: they are counted here. */
export function ignoresUsage({ channel, incoming }: CallRecord): boolean {
  return channel !== undefined && providerFor(channel, incoming.dialect).streamUsage === 'never';
}

/** Chat clients of some models are answered by another endpoint, and others' by chat. */
export function upstreamEndpoint({ incoming, dialect }: CallRecord): ProviderEndpoint {
  return (dialect && UPSTREAM_DIALECTS[dialect].endpoint) ?? incoming.endpoint;
}

/** The upstream keeps the answer for later requests. */
export function isKeptUpstream({ dialect }: Pick<CallRecord, 'dialect'>): boolean {
  return dialect !== undefined && UPSTREAM_DIALECTS[dialect].keepsAnswers === true;
}

/** The answer is made while the client is elsewhere. */
export function asksForBackground({ incoming, intent }: CallRecord): boolean {
  return clientDialect(incoming).keepsAnswers === true && intent.body.background === true;
}

/** Whether the upstream is asked for a stream, whatever the client asked. */
export function isUpstreamStream(record: CallRecord, channel: ChannelEntry): boolean {
  const { incoming, intent, upstreamModel } = record;
  return asksForStream(providerFor(channel, incoming.dialect), channel, {
    endpoint: upstreamEndpoint(record),
    model: upstreamModel,
    stream: intent.stream,
  });
}

/** An event that the upstream tells beside its answer: how far a workflow is, what its parts said. */
export function isBeside({ channel, incoming }: CallRecord, event: string): boolean {
  if (channel === undefined || event === '') return false;
  return providerFor(channel, incoming.dialect).answerEvents?.includes(event) === false;
}

/** What the chunks of a streamed answer are. */
export function streamEndpoint(record: CallRecord): 'chat' | 'completions' {
  return record.incoming.endpoint === 'completions' ? 'completions' : 'chat';
}

/** Who answers, where the upstream does not say. */
export function answerIdentity(record: CallRecord): AnswerIdentity {
  const { requestId, endpoint, receivedAtMs } = record.incoming;
  return {
    id: `${endpoint === 'completions' ? 'cmpl' : 'chatcmpl'}-${requestId}`,
    createdSec: Math.floor(receivedAtMs / 1000),
    model: record.intent.model,
  };
}
