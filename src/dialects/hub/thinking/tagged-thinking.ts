/**
 * Converts text between `<think>` tags at the start of an upstream's answer to thinking. Later tags
 * are left alone, because the model may be writing about them.
 */
import { AnswerCollector, eventsOf, type HubAnswer } from '../answer/answer.ts';
import type { HubEvent } from '../answer/events.ts';

const OPENING = '<think>';
const CLOSING = '</think>';

export class TaggedThinkingReader {
  #state: 'before' | 'inside' | 'closed' | 'behind' = 'before';
  /** Text that may be the start of a tag. */
  #held = '';

  turn(events: readonly HubEvent[]): readonly HubEvent[] {
    return events.flatMap((event) => this.#turn(event));
  }

  #turn(event: HubEvent): readonly HubEvent[] {
    if (this.#state === 'behind') return [event];
    if (event.kind === 'text') return this.#text(this.#held + event.text);
    if (event.kind === 'start' || event.kind === 'usage') return [event];
    // Any other event means that the held text is not part of a tag.
    return [...this.#flushed(), event];
  }

  #text(text: string): readonly HubEvent[] {
    this.#held = '';
    switch (this.#state) {
      case 'before':
        return this.#before(text);
      case 'inside':
        return this.#inside(text);
      case 'closed':
        return this.#closed(text);
      case 'behind':
        return [{ kind: 'text', text }];
      default:
        return this.#state satisfies never;
    }
  }

  #before(text: string): readonly HubEvent[] {
    const trimmed = text.trimStart();
    if (OPENING.startsWith(trimmed)) {
      this.#held = text;
      return [];
    }
    this.#state = trimmed.startsWith(OPENING) ? 'inside' : 'behind';
    if (this.#state === 'behind') return [{ kind: 'text', text }];
    return this.#text(trimmed.slice(OPENING.length).trimStart());
  }

  #inside(text: string): readonly HubEvent[] {
    const end = text.indexOf(CLOSING);
    if (end === -1) {
      // Hold back blank lines too, because those before the tag belong to it.
      const trimmed = text.slice(0, text.length - partialEnd(text, CLOSING)).trimEnd();
      this.#held = text.slice(trimmed.length);
      return thought(trimmed);
    }
    this.#state = 'closed';
    const thinking = thought(text.slice(0, end).trimEnd());
    return [...thinking, { kind: 'block_end' }, ...this.#closed(text.slice(end + CLOSING.length))];
  }

  /** Blank lines after the tag belong to it. */
  #closed(text: string): readonly HubEvent[] {
    const trimmed = text.trimStart();
    if (trimmed === '') return [];
    this.#state = 'behind';
    return [{ kind: 'text', text: trimmed }];
  }

  #flushed(): readonly HubEvent[] {
    const held = this.#held;
    const isThought = this.#state === 'inside';
    this.#held = '';
    if (this.#state === 'before') this.#state = 'behind';
    if (held.trim() === '') return [];
    return isThought ? thought(held) : [{ kind: 'text', text: held }];
  }
}

function thought(text: string): readonly HubEvent[] {
  return text === '' ? [] : [{ kind: 'thinking', text }];
}

/** How many characters at the end of `text` match the start of `tag`. */
function partialEnd(text: string, tag: string): number {
  for (let count = Math.min(tag.length - 1, text.length); count > 0; count--)
    if (tag.startsWith(text.slice(-count))) return count;
  return 0;
}

/** The same conversion for a whole answer. */
export function withThinkingSeparated(answer: HubAnswer): HubAnswer {
  const collector = new AnswerCollector();
  collector.add(new TaggedThinkingReader().turn(eventsOf(answer)));
  return { ...collector.answer(), stop: answer.stop };
}
