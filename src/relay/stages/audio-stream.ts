/**
 * Streams audio to the client as it is generated. At most one batch is buffered, so a slow client
 * slows the upstream down. The end of the body waits for the settlement. If the upstream breaks,
 * the client's connection is broken too, because audio cannot signal in any other way that it is
 * incomplete.
 */
import { Readable } from 'node:stream';
import { AppError } from '../../domain/errors/errors.ts';
import type { Ending } from '../call/call-end.ts';
import type { AudioAnswer } from '../http/answer-types.ts';
import { nextBatch } from '../http/byte-source.ts';

export interface AudioStreamOptions {
  readonly answer: AudioAnswer;
  /** Longest pause between the upstream's bytes. */
  readonly idleMs: number;
  readonly onBreak: (error: AppError) => void;
  /** Settles the call for the bytes received. */
  readonly onEnd: (ending: Ending, bytes: number) => Promise<void>;
}

export class AudioStream extends Readable {
  readonly #options: AudioStreamOptions;
  #first: readonly Buffer[];
  #bytes = 0;
  #ended = false;

  constructor(options: AudioStreamOptions) {
    super({ highWaterMark: 64 * 1024 });
    this.#options = options;
    this.#first = options.answer.first;
  }

  override _read(): void {
    void this.#pump();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // The client is gone. Audio streams report no usage, so there is nothing to wait for.
    this.#options.answer.call.abort();
    void this.#end('client_left').catch(() => undefined); // logged where it happened
    callback(error);
  }

  /** Pushes one batch, or ends. `_read` is called again when the buffer has space. */
  async #pump(): Promise<void> {
    try {
      const batch = await this.#next();
      if (this.destroyed) return;
      if (batch === undefined) {
        this.#options.answer.call.letGo();
        await this.#end('answered');
        this.push(null);
        return;
      }
      const bytes = batch.length === 1 ? batch[0] : Buffer.concat(batch);
      this.#bytes += bytes?.length ?? 0;
      this.push(bytes);
    } catch (error) {
      await this.#breakOff(error);
    }
  }

  /** Undefined at the end. */
  async #next(): Promise<readonly Buffer[] | undefined> {
    const { answer, idleMs } = this.#options;
    const first = this.#first;
    this.#first = [];
    if (first.length > 0) return first;
    for (;;) {
      const batch = await nextBatch(answer.source, idleMs);
      if (batch === 'ended') return undefined;
      if (batch === 'waited') throw new AppError('upstream_timeout');
      if (batch === 'interrupted' && this.destroyed) return undefined;
      if (typeof batch !== 'string' && batch.length > 0) return batch;
    }
  }

  async #breakOff(thrown: unknown): Promise<void> {
    if (this.destroyed) return;
    const error =
      thrown instanceof AppError
        ? thrown
        : new AppError('upstream_broke_off', {}, { cause: thrown });
    this.#options.onBreak(error);
    await this.#end('upstream_broke').catch(() => undefined); // logged where it happened
    this.destroy(error);
  }

  async #end(ending: Ending): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#options.onEnd(ending, this.#bytes);
  }
}
