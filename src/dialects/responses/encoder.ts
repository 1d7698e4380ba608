/** Encodes hub events as a response's stream: numbered, named frames without an end marker. */
import type { Usage } from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { HubEvent } from '../hub/answer/events.ts';
import { namedFrame, type WireError } from '../hub/answer/frames.ts';
import { effectiveStop, type Stop } from '../hub/answer/stop.ts';
import type { AnswerContext, Encoder } from '../hub/dialect.ts';
import { responseOf, statusOf } from './answer-parts.ts';
import { responseFailure } from './errors.ts';
import { ItemBuilder } from './item-builder.ts';
import type { ResponsesEvent } from './open-call.ts';

export class ResponsesEncoder implements Encoder {
  readonly #context: AnswerContext;
  readonly #items: ItemBuilder;
  #number = 0;
  #isStarted = false;
  #stop: Stop | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#items = new ItemBuilder(context);
  }

  get items(): readonly JsonObject[] {
    return this.#items.output;
  }

  encode(events: readonly HubEvent[]): string {
    let frames = '';
    for (const event of events) {
      if (event.kind === 'finish') this.#stop = event.stop;
      const steps = this.#items.take(event);
      if (event.kind === 'start' || steps.length > 0) frames += this.#start();
      frames += this.#framed(steps);
    }
    return frames;
  }

  end(usage?: Usage): string {
    const closing = this.#start() + this.#framed(this.#items.close());
    const stop = effectiveStop(this.#stop, this.#items.hasCalls);
    const status = statusOf(stop);
    const { output } = this.#items;
    const response = responseOf(this.#context, { status, output, usage, stop });
    return closing + this.#frame(`response.${status}`, { response });
  }

  /** Clients would treat a bare `error` as a lost connection. */
  fail(error: WireError): string {
    const { output } = this.#items;
    const failure = responseFailure(error);
    const response = responseOf(this.#context, { status: 'failed', output, error: failure });
    return this.#start() + this.#frame('response.failed', { response });
  }

  ping(): string {
    return ': PING\n\n';
  }

  #start(): string {
    if (this.#isStarted) return '';
    this.#isStarted = true;
    const response = responseOf(this.#context, { status: 'in_progress', output: [] });
    return (
      this.#frame('response.created', { response }) +
      this.#frame('response.in_progress', { response })
    );
  }

  #framed(steps: readonly ResponsesEvent[]): string {
    return steps.map(({ type, fields }) => this.#frame(type, fields)).join('');
  }

  #frame(type: string, fields: JsonObject): string {
    const frame = { type, sequence_number: this.#number, ...fields };
    this.#number += 1;
    return namedFrame(type, JSON.stringify(frame));
  }
}
