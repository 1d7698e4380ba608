/**
 * The last response of a connection with its whole conversation, so that the next request can
 * continue it although nothing is stored upstream.
 */
import { translatedAnswerOf } from '../../dialects/responses/forward.ts';
import { isObject, type JsonObject, objectsIn, parseJson, textIn } from '../../json/read-json.ts';
import type { BodyReservation } from '../body/body-budget.ts';

interface Kept {
  readonly id: string;
  readonly items: readonly unknown[];
}

export class LastResponse {
  readonly #reservation: BodyReservation;
  #kept: Kept | undefined;

  /** `reservation`: counts the bytes of the conversation. */
  constructor(reservation: BodyReservation) {
    this.#reservation = reservation;
  }

  /** The request with the conversation that it continues, if that is kept here. */
  continuedBy(sent: JsonObject): JsonObject {
    const kept = this.#kept;
    if (kept === undefined || sent.previous_response_id !== kept.id) return sent;
    const { previous_response_id: _, ...request } = sent;
    return { ...request, input: [...kept.items, ...itemsOf(sent.input)] };
  }

  /**
   * Keeps a response that has ended, `text` being its last event and `request` what was sent, unless
   * its upstream stores it. Nothing is kept after a failure, or without room for it.
   */
  keep(text: string, request: JsonObject, requestBytes: number): void {
    this.forget();
    const event = parseJson(text);
    const response = isObject(event) ? event.response : undefined;
    const id = textIn(response, 'id');
    if (!isObject(response) || id === undefined || response.store === true) return;
    try {
      this.#reservation.grow(text.length + requestBytes);
    } catch {
      return;
    }
    const output = objectsIn(response, 'output').filter((item) => !isStoredThought(item));
    this.#kept = { id, items: [...itemsOf(request.input), ...output] };
  }

  forget(): void {
    this.#kept = undefined;
    this.#reservation.free();
  }
}

/** Reasoning that an upstream identifies by an id, which is not valid unless it stores the response. */
function isStoredThought(item: JsonObject): boolean {
  const id = textIn(item, 'id');
  const isForeign = id !== undefined && translatedAnswerOf(id) === undefined;
  return item.type === 'reasoning' && isForeign && textIn(item, 'encrypted_content') === undefined;
}

function itemsOf(input: unknown): readonly unknown[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? input : [];
}
