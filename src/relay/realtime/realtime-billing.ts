/**
 * Billing of a Realtime session. Each response is a call of its own, with its hold before it
 * starts: the first is made when the session opens, the next when a response has ended, and further
 * ones when the client asks for responses beside a running one. A charge is committed before the
 * client receives the end of the response. So a process that dies loses no completed response, and
 * the responses of a session never cost more than was reserved for them.
 */
import type { RealtimeUsage } from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { withUnreservedPermits } from '../admission/caps.ts';
import { knownPrice } from '../billing/call-price.ts';
import { settle } from '../billing/settle.ts';
import type { Routed } from '../call/admitted.ts';
import { withBrokenLast } from '../call/attempt-record.ts';
import { type Ending, ended } from '../call/call-end.ts';
import type { Relay } from '../call/relay-ports.ts';
import { failedResponse } from '../failures/attempt-results.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { recordFailedCall } from '../failures/failed-call.ts';
import { continued, sessionIdOf } from './session-call.ts';
import { SessionHolds } from './session-holds.ts';
import type { UsageTally } from './session-usage.ts';

type Done = Extract<RealtimeUsage, { kind: 'done' }>;

/**
 * Number of response ids remembered, so that an upstream that repeats an event is not charged for
 * twice.
 */
const REMEMBERED = 1_000;
/** A requested response that has not begun by then will not begin any more. */
const LOST_MS = 30_000;

/** A response that the client asks for. */
export interface Request {
  readonly eventId: string;
  /** It runs beside the conversation, in which the upstream may start a response by itself. */
  readonly isOutOfBand: boolean;
}

export class SessionBilling {
  readonly #relay: Relay;
  readonly #tally: UsageTally;
  /** The call that opened the session. */
  readonly #opening: Routed;
  readonly #holds: SessionHolds;
  readonly #active = new Map<string, Routed>();
  /** Requested responses that have not begun: the id of the client's event, and when it was sent. */
  readonly #asked = new Map<string, number>();
  readonly #settled = new Set<string>();
  /** Epoch ms of the first content of the running responses; 0 before it. */
  #firstContentAtMs = 0;
  #transcripts = 0;
  /** Both sides of the session change the holds, one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(relay: Relay, call: Routed, tally: UsageTally) {
    this.#relay = relay;
    this.#opening = call;
    this.#holds = new SessionHolds(relay, call, tally);
    this.#tally = tally;
  }

  get isActive(): boolean {
    return this.#active.size > 0;
  }

  /**
   * Reserves for a response before it is requested from the upstream.
   * @throws AppError quota_short, token_tokens_capped and the like; the request must not be sent.
   */
  ask({ eventId, isOutOfBand }: Request): Promise<void> {
    return this.#alone(async () => {
      const nowMs = this.#relay.ctx.now();
      for (const [id, atMs] of this.#asked) if (nowMs - atMs > LOST_MS) this.#asked.delete(id);
      const at = this.#asked.size;
      // Beside it the upstream may start one by itself; for others it refuses that.
      await this.#holds.cover(at + (isOutOfBand ? 2 : 1));
      await this.#holds.takeTokens(at);
      this.#asked.set(eventId, nowMs);
    });
  }

  /**
   * The upstream reported an error about this event of the client; '' if it does not say which: then
   * requested responses keep their holds, as they may still begin.
   */
  refused(eventId: string): Promise<void> {
    const isKnown = this.#asked.delete(eventId);
    if (!isKnown && (eventId !== '' || this.isActive)) return Promise.resolve();
    return this.#alone(async () => {
      await this.#holds.releaseTokens(isKnown ? this.#asked.size : 0);
      await this.#trim();
    });
  }

  /**
   * The client's event has made the conversation longer.
   * @throws AppError quota_short and the like.
   */
  grown(): Promise<void> {
    if (this.#holds.coverConversation || this.#holds.count === 0) return Promise.resolve();
    return this.#alone(() => this.#holds.cover(this.#holds.count));
  }

  /** @throws AppError: there is no hold for it, or a cap is reached; it must be cancelled. */
  begun(responseId: string): Promise<void> {
    return this.#alone(async () => {
      if (this.#active.has(responseId) || this.#settled.has(responseId)) return;
      const [asked] = this.#asked.keys();
      if (asked !== undefined) this.#asked.delete(asked);
      let refusal: unknown;
      try {
        if (this.#holds.count === 0) await this.#holds.cover(1);
        await this.#holds.takeTokens(0);
      } catch (error) {
        refusal = error;
      }
      const call = this.#holds.take();
      const sessionId = sessionIdOf(this.#opening);
      const begun = { receivedAtMs: this.#relay.ctx.now(), sessionId };
      if (!this.isActive) this.#firstContentAtMs = 0;
      this.#active.set(responseId, { ...call, incoming: { ...call.incoming, ...begun } });
      if (refusal !== undefined) throw refusal;
    });
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
    const running = this.#active.get(responseId);
    this.#active.delete(responseId);
    if (this.#settled.has(responseId)) return;
    remember(this.#settled, responseId);
    const call = running ?? this.#holds.take();
    const hadContent = this.#tally.hasContent;
    const counted = this.#tally.take();
    if (usage !== undefined) await this.#settle(call, 'answered', usage, 'upstream');
    else if (failure !== undefined && !hadContent) await this.#fail(call, failure);
    else if (hadContent) await this.#settle(call, 'answered', counted, 'estimated');
    else {
      this.#holds.putFirst(call);
      return;
    }
    await this.#alone(async () => {
      await this.#trim();
      await this.#holds.cover(Math.max(1, this.#asked.size));
    });
  }

  /** Charges responses that the session's end interrupted for what was delivered of them. */
  async cutOff(ending: Extract<Ending, 'upstream_broke' | 'client_left'>): Promise<void> {
    const [call, ...others] = this.#active.values();
    if (call === undefined) return;
    this.#active.clear();
    this.#holds.putLast(...others);
    if (this.#tally.hasContent) {
      await this.#settle(call, ending, this.#tally.take(), 'estimated');
      return;
    }
    this.#holds.putLast(call);
    const thrown = ending === 'client_left' ? new ClientLeft() : new AppError('upstream_broke_off');
    recordFailedCall(this.#relay, call, thrown);
  }

  /** Releases the holds of responses that do not start. */
  close(): Promise<void> {
    return this.#holds.trim(0);
  }

  /**
   * Charges the transcription of the user's audio by a separate model, at that model's price if it
   * has one.
   */
  async transcribed(usage: Usage, model: string): Promise<void> {
    this.#transcripts += 1;
    const next = continued(this.#opening, {
      suffix: `t${this.#transcripts}`,
      receivedAtMs: this.#relay.ctx.now(),
      ...(model === '' ? {} : { model }),
    });
    const { caller } = next;
    const { channel } = next.route;
    const price =
      model === ''
        ? next.route.price
        : (knownPrice(this.#relay, caller, { requested: model, upstream: model, channel }) ??
          next.route.price);
    const paid = { ...next, route: { ...next.route, price } };
    await this.#pay(paid, { ending: 'answered', usage, usageSource: 'upstream' });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  /** Releases what is ready beyond the requested responses and one that the upstream may start. */
  #trim(): Promise<void> {
    return this.#holds.trim(this.#asked.size + 1);
  }

  async #settle(
    call: Routed,
    ending: Ending,
    usage: Usage,
    usageSource: 'upstream' | 'estimated',
  ): Promise<void> {
    const firstContentAtMs = this.#firstContentAtMs;
    await this.#pay(call, { ending, usage, usageSource, firstContentAtMs });
  }

  #pay(call: Routed, end: Parameters<typeof ended>[1]): Promise<void> {
    return settle(this.#relay, ended(withUnreservedPermits(this.#relay, call), end));
  }

  async #fail(before: Routed, failure: JsonObject): Promise<void> {
    const { attempts: started, route } = before;
    const attempts = withBrokenLast(started, failedResponse(failure, route.channel.keys));
    const call = { ...before, attempts };
    await settle(this.#relay, ended(call, { ending: 'failed' }));
    recordFailedCall(this.#relay, call);
  }
}

function remember(ids: Set<string>, id: string): void {
  if (id === '') return;
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
