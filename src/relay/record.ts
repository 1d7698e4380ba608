/**
 * What is known of one call, filled in by the stages. Settlement, log row and `gateway explain`
 * are made from it and from nothing else.
 */
import type { AnswerIdentity } from '../dialects/openai/stream-reader.ts';
import type { Price } from '../domain/pricing.ts';
import type { Usage } from '../domain/usage.ts';
import type { Spender } from '../services/views/credit.ts';
import type { ChannelEntry } from '../services/views/routing.ts';
import type { Caller } from './authenticate.ts';
import type { Incoming } from './incoming.ts';
import type { Intent } from './intent.ts';

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
}

/** How a call ended, seen from its bill (docs/billing.md). */
export type Ending = 'answered' | 'upstream_broke' | 'client_left' | 'failed';

export interface Hold {
  readonly userUnits: number;
  readonly tokenUnits: number;
}

export interface Trust {
  readonly spender: Spender;
  readonly units: number;
}

export class CallRecord {
  readonly incoming: Incoming;
  readonly caller: Caller;
  readonly intent: Intent;
  readonly attempts: AttemptRecord[] = [];
  groupRatio = 1;
  price: Price | undefined;
  hold: Hold | undefined;
  /** Set instead of `hold` when the account is far from its limits. */
  trusted: Trust | undefined;
  /** The channel that answered, or was asked last. */
  channel: ChannelEntry | undefined;
  upstreamModel = '';
  usage: Usage | undefined;
  usageSource: 'upstream' | 'estimated' | '' = '';
  ending: Ending = 'failed';
  /** Epoch ms of the first content; 0 when none came. */
  firstContentAtMs = 0;
  answerText = '';

  constructor(incoming: Incoming, caller: Caller, intent: Intent) {
    this.incoming = incoming;
    this.caller = caller;
    this.intent = intent;
  }
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
