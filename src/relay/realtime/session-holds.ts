/**
 * The responses of a Realtime session that may start, each with a hold that covers the conversation
 * so far and the output limit of the session.
 */
import { takeTokenPermits, tokenNeed } from '../admission/caps.ts';
import { REALTIME_HEADROOM, realtimeAnswer } from '../billing/billed-quantities.ts';
import { missingReservation, needsNoHold } from '../billing/call-need.ts';
import { releaseReservation, reserve } from '../billing/hold.ts';
import { settle } from '../billing/settle.ts';
import type { Routed } from '../call/admitted.ts';
import { ended } from '../call/call-end.ts';
import type { Relay } from '../call/relay-ports.ts';
import { recordingFailure } from '../failures/failed-call.ts';
import { continued } from './session-call.ts';
import type { UsageTally } from './session-usage.ts';

export class SessionHolds {
  readonly #relay: Relay;
  readonly #tally: UsageTally;
  /** The call that opened the session. */
  readonly #opening: Routed;
  /** Responses that have not begun. */
  readonly #ready: Routed[];
  /** The conversation that the holds cover. */
  #coveredTokens = REALTIME_HEADROOM;
  #responses = 1;

  constructor(relay: Relay, opening: Routed, tally: UsageTally) {
    this.#relay = relay;
    this.#opening = opening;
    this.#ready = [opening];
    this.#tally = tally;
  }

  get count(): number {
    return this.#ready.length;
  }

  get coverConversation(): boolean {
    return this.#tally.contextTokens <= this.#coveredTokens;
  }

  /** A response that begins; without a hold if none is ready. */
  take(): Routed {
    return this.#ready.shift() ?? this.#next();
  }

  /** Responses that did not begin after all, as the first or the last ones. */
  putFirst(call: Routed): void {
    this.#ready.unshift(call);
  }

  putLast(...calls: readonly Routed[]): void {
    this.#ready.push(...calls);
  }

  /**
   * Makes the first `count` responses ready, each with a hold for the conversation so far.
   * @throws AppError quota_short and the like.
   */
  async cover(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const call = this.#ready[at] ?? this.#next();
      if (this.#needOf(call, 0) === undefined) {
        this.#ready[at] = call;
        continue;
      }
      const need = this.#needOf(call, REALTIME_HEADROOM);
      if (need === undefined) continue;
      // Without its hold it is not ready, should the larger one be refused.
      this.#ready.splice(at, 1);
      const bare = await releaseReservation(this.#relay, call);
      const held = await recordingFailure(this.#relay, { ...bare }, async () =>
        reserve(this.#relay, bare, need),
      );
      this.#ready.splice(at, 0, held);
    }
    this.#coveredTokens = Math.max(this.#tally.contextTokens, this.#coveredTokens);
  }

  /** Releases the holds of all but the first `count` responses. */
  async trim(count: number): Promise<void> {
    for (const call of this.#ready.splice(count))
      await settle(this.#relay, ended(call, { ending: 'failed' }));
  }

  /** @throws AppError token_tokens_capped and the like. */
  async takeTokens(at: number): Promise<void> {
    const call = this.#ready[at];
    if (call === undefined || call.callerPermit !== undefined) return;
    const { maxTokens = 0 } = realtimeAnswer(this.#relay, call);
    const need = tokenNeed(this.#tally.contextTokens, { promptTokens: 0, maxTokens });
    const callerPermit = await takeTokenPermits(this.#relay, call, need);
    this.#ready[at] = { ...call, callerPermit };
  }

  /** Releases the token permits of responses that do not start. */
  async releaseTokens(from: number): Promise<void> {
    for (const [at, call] of this.#ready.entries()) {
      const { callerPermit: permit } = call;
      if (at < from || permit === undefined) continue;
      this.#ready[at] = { ...call, callerPermit: undefined };
      await this.#relay.permits.release(permit, 0);
    }
  }

  /** Undefined if its hold covers the conversation so far and as much more. */
  #needOf(call: Routed, headroom: number) {
    if (needsNoHold(this.#relay, call)) return undefined;
    const { text: promptTokens, audio } = this.#tally.context;
    const prompt = { promptTokens, audioTokens: audio + headroom };
    const quantity = { ...prompt, ...realtimeAnswer(this.#relay, call) };
    return missingReservation(this.#relay, call, quantity);
  }

  /** A further response, without a hold. */
  #next(): Routed {
    this.#responses += 1;
    const receivedAtMs = this.#relay.ctx.now();
    return continued(this.#opening, { suffix: String(this.#responses), receivedAtMs });
  }
}
