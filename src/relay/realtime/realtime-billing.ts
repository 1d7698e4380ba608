/**
 * Billing of a Realtime session. Each response is a call of its own: its hold is made when the
 * previous response has ended (the first when the session opens), and its charge is committed
 * before the client receives the end of the response. So a process that dies loses no completed
 * response, and an account that cannot pay for another response is detected before it starts.
 */
import type { RealtimeUsage } from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { type JsonObject, textIn } from '../../json/read-json.ts';
import { countTokenUse, takeTokenPermits, tokenNeed } from '../admission/caps.ts';
import { realtimeAnswer } from '../billing/billed-quantities.ts';
import { holdQuota, priceFor } from '../billing/hold.ts';
import { settle } from '../billing/settle.ts';
import {
  type AttemptRecord,
  type CallRecord,
  continued,
  type Ending,
  markBroken,
} from '../call/call-record.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { recordFailedCall, recordingFailure } from '../failures/failed-call.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import type { UsageTally } from './session-usage.ts';

type Done = Extract<RealtimeUsage, { kind: 'done' }>;

/**
 * Number of response ids remembered, so that an upstream that repeats an event is not charged for
 * twice.
 */
const REMEMBERED = 1_000;

export class SessionBilling {
  readonly #relay: Relay;
  readonly #tally: UsageTally;
  /** The record of the current or next response; it has the hold. */
  #record: CallRecord;
  #responses = 1;
  #transcripts = 0;
  #reserving: Promise<void> | undefined;
  readonly #active = new Set<string>();
  readonly #settled = new Set<string>();
  /** The attempt that opened the session; it serves every response. */
  readonly #served: readonly AttemptRecord[];

  constructor(relay: Relay, record: CallRecord, tally: UsageTally) {
    this.#relay = relay;
    this.#record = record;
    this.#tally = tally;
    this.#served = record.attempts.slice(-1);
  }

  get isActive(): boolean {
    return this.#active.size > 0;
  }

  /**
   * Takes the token permits of the current or next response from its caller's caps, unless already
   * taken.
   * @throws AppError token_tokens_capped and the like.
   */
  reserveTokens(): Promise<void> {
    this.#reserving ??= this.#takeTokens().finally(() => {
      this.#reserving = undefined;
    });
    return this.#reserving;
  }

  /** Releases the token permits of a response that does not start. */
  async releaseTokens(): Promise<void> {
    const { callerPermit: permit } = this.#record;
    if (permit === undefined || this.isActive) return;
    this.#record.callerPermit = undefined;
    await this.#relay.permits.release(permit, 0);
  }

  begun(responseId: string): void {
    this.#active.add(responseId);
    this.#record = continued(this.#record, {
      requestId: this.#record.incoming.requestId,
      receivedAtMs: this.#relay.ctx.now(),
      keepsHold: true,
      attempts: this.#record.attempts,
    });
  }

  delivered(what: Extract<RealtimeUsage, { kind: 'delivered' }>): void {
    this.#tally.delivered(what);
    if (this.#record.firstContentAtMs === 0) this.#record.firstContentAtMs = this.#relay.ctx.now();
  }

  /**
   * Resolves when the response is charged and the next one has its hold.
   * @throws AppError quota_short and the like.
   */
  async done({ responseId, usage, failure }: Done): Promise<void> {
    this.#active.delete(responseId);
    if (this.#settled.has(responseId)) return;
    remember(this.#settled, responseId);
    const hadContent = this.#tally.hasContent;
    const counted = this.#tally.take();
    if (usage !== undefined) await this.#settle('answered', usage, 'upstream');
    else if (failure !== undefined && !hadContent) await this.#fail(failure);
    else if (hadContent) await this.#settle('answered', counted, 'estimated');
    else return;
    await this.#reserveNext();
  }

  /** Charges a response that the session's end interrupted for what was delivered of it. */
  async cutOff(ending: Extract<Ending, 'upstream_broke' | 'client_left'>): Promise<void> {
    if (!this.isActive) return;
    this.#active.clear();
    if (!this.#tally.hasContent) {
      const thrown =
        ending === 'client_left' ? new ClientLeft() : new AppError('upstream_broke_off');
      recordFailedCall(this.#relay, this.#record, thrown);
      return;
    }
    await this.#settle(ending, this.#tally.take(), 'estimated');
  }

  /**
   * Charges the transcription of the user's audio by a separate model, at that model's price if it
   * has one.
   */
  async transcribed(usage: Usage, model: string): Promise<void> {
    this.#transcripts += 1;
    const record = continued(this.#record, {
      requestId: `${this.#sessionId}-t${this.#transcripts}`,
      receivedAtMs: this.#relay.ctx.now(),
      attempts: this.#served,
      ...(model === '' ? {} : { model }),
    });
    record.price = this.#priceOf(record, model) ?? this.#record.price;
    await this.#pay(record, 'answered', usage, 'upstream');
  }

  /** Releases the hold of a response that does not start. */
  async close(): Promise<void> {
    this.#record.ending = 'failed';
    await settle(this.#relay, this.#record);
  }

  get #sessionId(): string {
    return this.#record.incoming.sessionId ?? this.#record.incoming.requestId;
  }

  #priceOf(record: CallRecord, model: string) {
    try {
      const { channel } = record;
      return model === ''
        ? undefined
        : priceFor(this.#relay, record, { requested: model, upstream: model, channel });
    } catch (error) {
      if (error instanceof AppError && error.code === 'price_missing') return undefined;
      throw error;
    }
  }

  #settle(ending: Ending, usage: Usage, source: 'upstream' | 'estimated'): Promise<void> {
    return this.#pay(this.#record, ending, usage, source);
  }

  async #takeTokens(): Promise<void> {
    if (this.#record.callerPermit !== undefined) return;
    const { maxTokens = 0 } = realtimeAnswer(this.#relay, this.#record);
    const need = tokenNeed(this.#tally.contextTokens, { promptTokens: 0, maxTokens });
    const permit = await takeTokenPermits(this.#relay, this.#record, need);
    // The response may have started in the meantime.
    this.#record.callerPermit = permit;
  }

  async #pay(
    record: CallRecord,
    ending: Ending,
    usage: Usage,
    source: 'upstream' | 'estimated',
  ): Promise<void> {
    record.ending = ending;
    record.usage = usage;
    record.usageSource = source;
    countTokenUse(this.#relay, record);
    await settle(this.#relay, record);
    if (record === this.#record) this.#spent();
  }

  async #fail(failure: JsonObject): Promise<void> {
    markBroken(this.#record, {
      status: 200,
      code: textIn(failure, 'code') ?? textIn(failure, 'type') ?? 'response_failed',
      message: textIn(failure, 'message') ?? '',
    });
    this.#record.ending = 'failed';
    await settle(this.#relay, this.#record);
    recordFailedCall(this.#relay, this.#record);
    this.#spent();
  }

  /** Replaces the settled record by a new one without a hold. */
  #spent(): void {
    this.#responses += 1;
    this.#record = continued(this.#record, {
      requestId: `${this.#sessionId}-${this.#responses}`,
      receivedAtMs: this.#relay.ctx.now(),
      attempts: this.#served,
    });
  }

  async #reserveNext(): Promise<void> {
    const { price } = this.#record;
    const { contextTokens: promptTokens } = this.#tally;
    if (price === undefined) return;
    const quantity = { promptTokens, ...realtimeAnswer(this.#relay, this.#record) };
    await recordingFailure(
      this.#relay,
      () => this.#record,
      async () => holdQuota(this.#relay, this.#record, price, quantity),
    );
  }
}

function remember(ids: Set<string>, id: string): void {
  if (id === '') return;
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
