/** Reads JSON values, one per line (github.com/ndjson/ndjson-spec). Blank lines are skipped. */
import { AppError } from '../../domain/errors/errors.ts';
import type { SseEvent } from './sse.ts';

const LF = 0x0a;
const MAX_LINE_BYTES = 10 * 1024 * 1024;

export class NdjsonReader {
  /** The incomplete line, in the chunks it arrived in; joined once it is complete. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @throws AppError upstream_too_large for a line of more than 10 MB. */
  push(chunk: Uint8Array): SseEvent[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const events: SseEvent[] = [];
    let start = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, start)) {
      this.#hold(bytes.subarray(start, at));
      this.#take(events);
      start = at + 1;
    }
    this.#hold(bytes.subarray(start));
    return events;
  }

  /** The last line needs no line break. */
  end(): SseEvent[] {
    const events: SseEvent[] = [];
    this.#take(events);
    return events;
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > MAX_LINE_BYTES) throw new AppError('upstream_too_large');
    if (piece.length > 0) this.#held.push(piece);
  }

  #take(events: SseEvent[]): void {
    const data = Buffer.concat(this.#held).toString('utf8').trim();
    this.#held = [];
    this.#heldBytes = 0;
    if (data !== '')
      events.push({ kind: 'data', event: '', data, raw: Buffer.from(`data: ${data}\n\n`) });
  }
}
