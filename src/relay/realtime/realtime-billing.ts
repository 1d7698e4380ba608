/**
 * What a session costs. Each response is a call of its own: its reservation is made when the one
 * before has ended (the first when the session opens), and its charge is on the books before the
 * client hears that it is done. So a process that dies loses no response that was told to be over, and
 * an account that cannot pay for another one is found out before it begins.
 */
import type { Consumption } from '../../dialects/openai/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { type JsonObject, textIn } from '../../json/read-json.ts';
import { countTokens, takeTokens, tokenNeed } from '../admission/caps.ts';
import { realtimeAnswer } from '../billing/billed-quantities.ts';
import { holdQuota, priceFor } from '../billing/hold.ts';
import { settle } from '../billing/settle.ts';
import {
  type AttemptRecord,
  type CallRecord,
  continued,
  type Ending,
  noteBreak,
} from '../call/call-record.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { noteFailedCall, notingFailure } from '../failures/failed-call.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import type { Tally } from './session-usage.ts';

type Done = Extract<Consumption, { kind: 'done' }>;

/** Of this many responses the ids are remembered: an upstream that repeats itself is not paid twice. */
const REMEMBERED = 1_000;

export class SessionBill {
  readonly #relay: Relay;
  readonly #tally: Tally;
  /** Of the response that runs or comes next; it holds the reservation. */
  #record: CallRecord;
  #responses = 1;
  #transcripts = 0;
  #reserving: Promise<void> | undefined;
  readonly #active = new Set<string>();
  readonly #settled = new Set<string>();
  /** The attempt that opened the session: it serves every response. */
  readonly #served: readonly AttemptRecord[];

  constructor(relay: Relay, record: CallRecord, tally: Tally) {
    this.#relay = relay;
    this.#record = record;
    this.#tally = tally;
    this.#served = record.attempts.slice(-1);
  }

  get isActive(): boolean {
    return this.#active.size > 0;
  }

  /**
   * Takes what the response that runs or comes next may use of its caller's caps of tokens, unless that
   * is taken. @throws AppError token_tokens_capped and its like.
   */
  reserveTokens(): Promise<void> {
    this.#reserving ??= this.#takeTokens().finally(() => {
      this.#reserving = undefined;
    });
    return this.#reserving;
  }

  /** The response that tokens were taken for does not come. */
  async releaseTokens(): Promise<void> {
    const { share } = this.#record;
    if (share === undefined || this.isActive) return;
    this.#record.share = undefined;
    await this.#relay.shares.giveBack(share, 0);
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

  delivered(what: Extract<Consumption, { kind: 'delivered' }>): void {
    this.#tally.delivered(what);
    if (this.#record.firstContentAtMs === 0) this.#record.firstContentAtMs = this.#relay.ctx.now();
  }

  /** Resolves when the response is paid and the next one has its reservation. @throws AppError quota_short and its like. */
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

  /** The session ends inside a response: it costs what was delivered of it. */
  async cutOff(ending: Extract<Ending, 'upstream_broke' | 'client_left'>): Promise<void> {
    if (!this.isActive) return;
    this.#active.clear();
    if (!this.#tally.hasContent) {
      const thrown =
        ending === 'client_left' ? new ClientLeft() : new AppError('upstream_broke_off');
      noteFailedCall(this.#relay, this.#record, thrown);
      return;
    }
    await this.#settle(ending, this.#tally.take(), 'estimated');
  }

  /** What was said to the model, written down by another: at that one's price, if it has one. */
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

  /** Gives back what was reserved for a response that does not come. */
  async close(): Promise<void> {
    this.#record.ending = 'failed';
    await settle(this.#relay, this.#record);
  }

  get #sessionId(): string {
    return this.#record.incoming.sessionId ?? this.#record.incoming.requestId;
  }

  #priceOf(record: CallRecord, model: string) {
    try {
      return model === '' ? undefined : priceFor(this.#relay, record, model, model);
    } catch (error) {
      if (error instanceof AppError && error.code === 'price_missing') return undefined;
      throw error;
    }
  }

  #settle(ending: Ending, usage: Usage, source: 'upstream' | 'estimated'): Promise<void> {
    return this.#pay(this.#record, ending, usage, source);
  }

  async #takeTokens(): Promise<void> {
    if (this.#record.share !== undefined) return;
    const { maxTokens = 0 } = realtimeAnswer(this.#relay, this.#record);
    const need = tokenNeed(this.#tally.contextTokens, { promptTokens: 0, maxTokens });
    const share = await takeTokens(this.#relay, this.#record, need);
    // Meanwhile the response may have begun.
    this.#record.share = share;
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
    countTokens(this.#relay, record);
    await settle(this.#relay, record);
    if (record === this.#record) this.#spent();
  }

  async #fail(failure: JsonObject): Promise<void> {
    noteBreak(this.#record, {
      status: 200,
      code: textIn(failure, 'code') ?? textIn(failure, 'type') ?? 'response_failed',
      message: textIn(failure, 'message') ?? '',
    });
    this.#record.ending = 'failed';
    await settle(this.#relay, this.#record);
    noteFailedCall(this.#relay, this.#record);
    this.#spent();
  }

  /** The record is settled; its place is taken by one that holds nothing yet. */
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
    await notingFailure(
      this.#relay,
      () => this.#record,
      () => holdQuota(this.#relay, this.#record, price, quantity),
    );
  }
}

function remember(ids: Set<string>, id: string): void {
  if (id === '') return;
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
