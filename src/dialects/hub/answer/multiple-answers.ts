/**
 * Several answers per request (`n`, `candidateCount`): each is read and written separately, and the
 * event `choice` selects the current one. Only chat and Gemini support them.
 */
import type { Usage } from '../../../domain/pricing/usage.ts';
import { isObject, type JsonObject, objectsIn, parseJson } from '../../../json/read-json.ts';
import type { AnswerContext, Decoder, Encoder } from '../dialect.ts';
import type { HubAnswer } from './answer.ts';
import type { HubEvent } from './events.ts';
import type { StreamFrame, WireError } from './frames.ts';

/** The field that lists the answers; each has an `index`. */
type Field = 'choices' | 'candidates';

/** More than any vendor allows; bounds the index an upstream may send. */
const MOST = 128;

/** One answer of a frame or a body, as if it were the only one. */
interface Split {
  readonly index: number;
  readonly json: JsonObject;
}

/** Splits `json` by answer; empty for a frame without answers. */
export function splitAnswers(json: JsonObject, field: Field): readonly Split[] {
  return objectsIn(json, field).flatMap((one, position) => {
    const index = typeof one.index === 'number' ? one.index : position;
    if (!Number.isInteger(index) || index < 0 || index >= MOST) return [];
    return [{ index, json: { ...json, [field]: [{ ...one, index: 0 }] } }];
  });
}

/** Generated ids must not collide with those of another answer. */
export function answerContextOf(context: AnswerContext, index: number): AnswerContext {
  return index === 0 ? context : { ...context, id: `${context.id}_${index}` };
}

export function hasMultipleAnswers({ choices = 1 }: AnswerContext): boolean {
  return choices > 1;
}

/** Objects created on first use and kept by index, in index order. */
class Each<T> {
  readonly #all = new Map<number, T>();
  readonly #make: (index: number) => T;

  constructor(make: (index: number) => T) {
    this.#make = make;
  }

  at(index: number): T {
    const known = this.#all.get(index) ?? this.#make(index);
    this.#all.set(index, known);
    return known;
  }

  all(): readonly (readonly [number, T])[] {
    return [...this.#all].sort(([one], [other]) => one - other);
  }
}

export class MultiAnswerDecoder implements Decoder {
  readonly #field: Field;
  readonly #decoders: Each<Decoder>;

  constructor(field: Field, make: (index: number) => Decoder) {
    this.#field = field;
    this.#decoders = new Each(make);
  }

  get isComplete(): boolean {
    return this.#every('isComplete');
  }

  get isOver(): boolean {
    return this.#every('isOver');
  }

  decode(frame: StreamFrame): readonly HubEvent[] {
    const json = parseJson(frame.data);
    const answers = isObject(json) ? splitAnswers(json, this.#field) : [];
    // Frames without answers (usage, errors, the end) go to all decoders.
    if (answers.length === 0) return this.#all((decoder) => decoder.decode(frame));
    return answers.flatMap(({ index, json }) => {
      const part = { ...frame, data: JSON.stringify(json) };
      return [{ kind: 'choice', index } as const, ...this.#decoders.at(index).decode(part)];
    });
  }

  end(): readonly HubEvent[] {
    return this.#all((decoder) => decoder.end());
  }

  #all(ask: (decoder: Decoder) => readonly HubEvent[]): readonly HubEvent[] {
    this.#decoders.at(0);
    return this.#decoders.all().flatMap(([index, decoder]) => {
      const events = ask(decoder);
      return events.length === 0 ? [] : [{ kind: 'choice', index } as const, ...events];
    });
  }

  #every(state: 'isComplete' | 'isOver'): boolean {
    const all = this.#decoders.all();
    return all.length > 0 && all.every(([, decoder]) => decoder[state]);
  }
}

/** The answers failed if none of them has content. */
export function withOthers(first: HubAnswer, others: readonly HubAnswer[]): HubAnswer {
  const { error, ...answer } = first;
  const isFailed = error !== undefined && others.every((other) => other.error !== undefined);
  return { ...answer, others, ...(isFailed ? { error } : {}) };
}

/** An encoder for one of several answers. */
export interface SingleAnswerEncoder extends Encoder {
  /** The frames that close this answer, but not the stream. */
  close(): string;
}

export class MultiAnswerEncoder implements Encoder {
  readonly #encoders: Each<SingleAnswerEncoder>;
  #index = 0;

  constructor(make: (index: number) => SingleAnswerEncoder) {
    this.#encoders = new Each(make);
  }

  encode(events: readonly HubEvent[]): string {
    let frames = '';
    for (const event of events) {
      if (event.kind === 'choice') this.#index = event.index;
      else frames += this.#encoders.at(this.#index).encode([event]);
    }
    return frames;
  }

  end(usage?: Usage): string {
    const last = this.#encoders.all().at(-1)?.[0] ?? 0;
    const others = this.#encoders.all().filter(([index]) => index !== last);
    const closed = others.map(([, encoder]) => encoder.close()).join('');
    return closed + this.#encoders.at(last).end(usage);
  }

  fail(error: WireError): string {
    return this.#encoders.at(this.#index).fail(error);
  }

  ping(): string {
    return this.#encoders.at(0).ping();
  }
}
