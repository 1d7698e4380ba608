/**
 * Billing of a Realtime session. Each response is a call of its own: its hold is made when the
 * previous response has ended (the first when the session opens), and its charge is committed
 * before the client receives the end of the response. So a process that dies loses no completed
 * response, and an account that cannot pay for another response is detected before it starts.
 */
import type { RealtimeUsage } from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isFree } from '../../domain/pricing/price.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { takeTokenPermits, tokenNeed, unreservedPermits } from '../admission/caps.ts';
import { realtimeAnswer } from '../billing/billed-quantities.ts';
import { priceFor } from '../billing/call-price.ts';
import { missingReservation, reserve } from '../billing/hold.ts';
import { settle } from '../billing/settle.ts';
import {
  type AttemptRecord,
  type Ending,
  ended,
  type Routed,
  withBrokenLast,
} from '../call/call-stages.ts';
import { failedResponse } from '../failures/attempt-results.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { recordFailedCall, recordingFailure } from '../failures/failed-call.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { continued } from './session-call.ts';
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
  /** The current or next response; it has the hold. */
  #call: Routed;
  /** Epoch ms of the response's first content; 0 before it. */
  #firstContentAtMs = 0;
  #responses = 1;
  #transcripts = 0;
  #reserving: Promise<void> | undefined;
  readonly #active = new Set<string>();
  readonly #settled = new Set<string>();
  /** The attempt that opened the session; it serves every response. */
  readonly #served: readonly AttemptRecord[];

  constructor(relay: Relay, call: Routed, tally: UsageTally) {
    this.#relay = relay;
    this.#call = call;
    this.#tally = tally;
    this.#served = call.attempts.slice(-1);
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
    const { callerPermit: permit } = this.#call;
    if (permit === undefined || this.isActive) return;
    this.#call = { ...this.#call, callerPermit: undefined };
    await this.#relay.permits.release(permit, 0);
  }

  begun(responseId: string): void {
    this.#active.add(responseId);
    const begun = { receivedAtMs: this.#relay.ctx.now(), sessionId: this.#sessionId };
    this.#call = { ...this.#call, incoming: { ...this.#call.incoming, ...begun } };
    this.#firstContentAtMs = 0;
  }

  delivered(what: Extract<RealtimeUsage, { kind: 'delivered' }>): void {
    this.#tally.delivered(what);
    if (this.#firstContentAtMs === 0) this.#firstContentAtMs = this.#relay.ctx.now();
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
      recordFailedCall(this.#relay, this.#call, thrown);
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
    const next = continued(this.#call, {
      requestId: `${this.#sessionId}-t${this.#transcripts}`,
      receivedAtMs: this.#relay.ctx.now(),
      attempts: this.#served,
      ...(model === '' ? {} : { model }),
    });
    const price = this.#priceOf(next, model) ?? next.price;
    await this.#pay({ ...next, price }, { ending: 'answered', usage, usageSource: 'upstream' });
  }

  /** Releases the hold of a response that does not start. */
  async close(): Promise<void> {
    await settle(this.#relay, ended(this.#call, { ending: 'failed' }));
  }

  get #sessionId(): string {
    return this.#call.incoming.sessionId ?? this.#call.incoming.requestId;
  }

  #priceOf({ caller, channel }: Routed, model: string) {
    try {
      return model === ''
        ? undefined
        : priceFor(this.#relay, caller, { requested: model, upstream: model, channel });
    } catch (error) {
      if (error instanceof AppError && error.code === 'price_missing') return undefined;
      throw error;
    }
  }

  async #settle(
    ending: Ending,
    usage: Usage,
    usageSource: 'upstream' | 'estimated',
  ): Promise<void> {
    const call = this.#call;
    const firstContentAtMs = this.#firstContentAtMs;
    try {
      await this.#pay(call, { ending, usage, usageSource, firstContentAtMs });
    } finally {
      this.#spent();
    }
  }

  async #takeTokens(): Promise<void> {
    if (this.#call.callerPermit !== undefined) return;
    const { maxTokens = 0 } = realtimeAnswer(this.#relay, this.#call);
    const need = tokenNeed(this.#tally.contextTokens, { promptTokens: 0, maxTokens });
    const permit = await takeTokenPermits(this.#relay, this.#call, need);
    // The response may have started in the meantime.
    this.#call = { ...this.#call, callerPermit: permit };
  }

  #pay(call: Routed, end: Parameters<typeof ended>[1]): Promise<void> {
    const permits = unreservedPermits(this.#relay, call);
    return settle(this.#relay, ended({ ...call, ...permits }, end));
  }

  async #fail(failure: JsonObject): Promise<void> {
    const { attempts: before, channel } = this.#call;
    const attempts = withBrokenLast(before, failedResponse(failure, channel.keys));
    const call = ended(this.#call, { ending: 'failed', attempts });
    try {
      await settle(this.#relay, call);
      recordFailedCall(this.#relay, call);
    } finally {
      this.#spent();
    }
  }

  /** Replaces the settled response by a new one without a hold. */
  #spent(): void {
    this.#firstContentAtMs = 0;
    this.#responses += 1;
    this.#call = continued(this.#call, {
      requestId: `${this.#sessionId}-${this.#responses}`,
      receivedAtMs: this.#relay.ctx.now(),
      attempts: this.#served,
    });
  }

  async #reserveNext(): Promise<void> {
    const { contextTokens: promptTokens } = this.#tally;
    const call = this.#call;
    if (isFree(call.price, call.groupRatio)) return;
    const quantity = { promptTokens, ...realtimeAnswer(this.#relay, call) };
    const need = missingReservation(this.#relay, call, quantity);
    if (need === undefined) return;
    const { reservation } = await recordingFailure(
      this.#relay,
      () => call,
      async () => reserve(this.#relay, call, need),
    );
    this.#call = { ...this.#call, reservation };
  }
}

function remember(ids: Set<string>, id: string): void {
  if (id === '') return;
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
