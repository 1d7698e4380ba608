/**
 * The channel setting `thinking_to_content` for streams that are translated: thoughts are told as text
 * between `<think>` tags. Opened once per group of thoughts, closed before whatever comes next.
 */
import type { HubEvent } from './events.ts';

const OPENING = '<think>\n';
const CLOSING = '\n</think>\n';

export class ThinkingAsText {
  #isThinking = false;

  turn(events: readonly HubEvent[]): readonly HubEvent[] {
    return events.flatMap((event) => this.#turn(event));
  }

  #turn(event: HubEvent): readonly HubEvent[] {
    switch (event.kind) {
      case 'thinking': {
        if (event.text === '') return [];
        const opening = this.#isThinking ? '' : OPENING;
        this.#isThinking = true;
        return [{ kind: 'text', text: opening + event.text }];
      }
      // Proofs of thoughts mean nothing to who reads them as text.
      case 'signature':
      case 'redacted_thinking':
        return [];
      case 'start':
      case 'usage':
      case 'block_end':
        return [event];
      default:
        return this.#closed(event);
    }
  }

  #closed(event: HubEvent): readonly HubEvent[] {
    if (!this.#isThinking) return [event];
    this.#isThinking = false;
    return [{ kind: 'text', text: CLOSING }, event];
  }
}
