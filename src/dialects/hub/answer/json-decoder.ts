/** Base class of decoders: each frame is a JSON object, and an error ends the stream. */
import { isObject, type JsonObject, parseJson } from '../../../json/read-json.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type { Decoder } from '../dialect.ts';
import type { HubEvent } from './events.ts';
import type { StreamFrame } from './frames.ts';

export abstract class JsonDecoder implements Decoder {
  isComplete = false;
  isOver = false;
  #isStarted = false;

  decode(frame: StreamFrame): readonly HubEvent[] {
    if (this.isOver) return [];
    const json = parseJson(frame.data);
    const error = this.errorOf(json, frame);
    if (error !== undefined) {
      this.isOver = true;
      this.isComplete = false;
      return [{ kind: 'error', error }];
    }
    return isObject(json) ? this.read(json, frame) : [];
  }

  end(): readonly HubEvent[] {
    return [];
  }

  /** The `start` event on the first call; nothing afterwards. */
  protected started(head: { readonly id?: string; readonly model?: string }): readonly HubEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ kind: 'start', ...head }];
  }

  protected abstract readonly errorOf: (
    json: unknown,
    frame: StreamFrame,
  ) => UpstreamError | undefined;
  protected abstract read(json: JsonObject, frame: StreamFrame): readonly HubEvent[];
}

/** No event for an empty text. */
export function textEvents(text: string | undefined): readonly HubEvent[] {
  return text ? [{ kind: 'text', text }] : [];
}

export function thinkingEvents(text: string | undefined): readonly HubEvent[] {
  return text ? [{ kind: 'thinking', text }] : [];
}
