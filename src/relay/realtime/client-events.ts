/**
 * Events of the client of a Realtime session: checks them, reserves for what they make the upstream
 * bill, and writes them for the upstream.
 */
import {
  duplicateFieldName,
  isOutOfBand,
  outputLimitIn,
  type RealtimeEvent,
  readEvent,
  sessionModel,
  withEventFields,
  withinOutputLimit,
  withSessionModel,
} from '../../dialects/openai/endpoints/realtime.ts';
import type { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { textIn } from '../../json/read-json.ts';
import { realtimeAnswer } from '../billing/billed-quantities.ts';
import type { Routed } from '../call/admitted.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { SessionBilling } from './realtime-billing.ts';
import type { UsageTally } from './session-usage.ts';
import { eventIdOf } from './shown-events.ts';

export class ClientEvents {
  readonly #call: Routed;
  readonly #bill: SessionBilling;
  readonly #tally: UsageTally;
  /** The longest response of the model. */
  readonly #longest: number;
  /** Responses that the client has asked for. */
  #requests = 0;

  constructor(relay: Ports<'ctx'>, call: Routed, bill: SessionBilling, tally: UsageTally) {
    this.#call = call;
    this.#bill = bill;
    this.#tally = tally;
    const { maxTokens } = realtimeAnswer(relay, { ...call, cappedAt: undefined });
    this.#longest = maxTokens ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The text for the upstream, which is `text` unless something must change.
   * @throws AppError for an event that must not be sent.
   */
  async accepted(event: RealtimeEvent | undefined): Promise<string> {
    if (event === undefined) throw wrongField('event', 'not_object');
    const problem = this.#problemOf(event);
    if (problem !== undefined) throw problem;
    await this.#pay(event);
    return this.#rewritten(event).text;
  }

  /**
   * The model cannot change, because the price is that of the model the session was opened with.
   */
  #problemOf(event: RealtimeEvent): AppError | undefined {
    const twice = duplicateFieldName(event);
    if (twice !== undefined) return wrongField(twice, 'repeated');
    const most = this.#longest;
    const output = outputLimitIn(event);
    if (output !== undefined && output > most)
      return wrongField('max_output_tokens', 'too_large', { most });
    const model = sessionModel(event);
    if (model === undefined || model === this.#call.intent.model) return undefined;
    return wrongField('session.model', 'session_keeps_model');
  }

  /** @throws AppError if the event cannot be paid. */
  async #pay(event: RealtimeEvent): Promise<void> {
    this.#tally.fromClient(event);
    if (event.type !== 'response.create') return this.#bill.grown();
    this.#requests += 1;
    return this.#bill.ask({ eventId: this.#idOf(event), isOutOfBand: isOutOfBand(event) });
  }

  #rewritten(event: RealtimeEvent): RealtimeEvent {
    const {
      cappedAt,
      route: { upstreamModel },
    } = this.#call;
    const limited = cappedAt === undefined ? event : withinOutputLimit(event, cappedAt);
    if (event.type === 'response.create')
      return withEventFields(limited, { event_id: this.#idOf(event) });
    return sessionModel(event) === undefined ? limited : withSessionModel(limited, upstreamModel);
  }

  /** An error of the upstream must tell which request it is about. */
  #idOf({ json }: RealtimeEvent): string {
    return textIn(json, 'event_id') ?? `${eventIdOf(this.#call)}_${this.#requests}`;
  }
}

/** The preset of a client secret, as the first event of its session. */
export function presetEvent(text: string, { cappedAt }: Routed): string {
  const event = readEvent(text);
  return event === undefined || cappedAt === undefined
    ? text
    : withinOutputLimit(event, cappedAt).text;
}
