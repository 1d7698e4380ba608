/**
 * The channel setting `thinking_to_content` for translated streams: sends thinking as text between
 * `<think>` tags, one pair per run of thinking.
 */
import type { HubEvent } from '../answer/events.ts';

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
      // Signatures are useless once the thinking is plain text.
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
