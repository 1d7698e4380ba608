/** Records the most recent calls as received. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Recorded {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const CALL_LIMIT = 1000;
const CHARACTER_LIMIT = 64 * 1024 * 1024;

/** Limited in number and size; `calls` always stays the same array. */
export class Recorder {
  readonly calls: Recorded[] = [];
  #characters = 0;

  add(call: Recorded): void {
    this.calls.push(call);
    this.#characters += call.body.length;
    while (this.calls.length > CALL_LIMIT || this.#characters > CHARACTER_LIMIT) {
      this.#characters -= this.calls.shift()?.body.length ?? 0;
    }
  }

  reset(): void {
    this.calls.length = 0;
    this.#characters = 0;
  }
}

/** The first value of a header that may be a list. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
