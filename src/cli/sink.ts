/** One of the two output streams of the process. It remembers the first write that failed. */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

export type Output = NodeJS.WriteStream & { readonly fd: 1 | 2 };

export class Sink {
  readonly #stream: Output;
  readonly #isFile: boolean;
  readonly #onFailure: () => void;
  readonly #waiting = new Set<Promise<void>>();
  #failure: NodeJS.ErrnoException | undefined;

  constructor(stream: Output, onFailure: () => void) {
    this.#stream = stream;
    // Terminals and pipes are sockets; the rest is files and devices.
    this.#isFile = !(stream instanceof Socket);
    this.#onFailure = onFailure;
    stream.on('error', (error) => this.#fail(error));
  }

  write(text: string): void {
    if (this.#failure !== undefined) return;
    try {
      if (this.#isFile) writeWhole(this.#stream.fd, Buffer.from(text));
      else this.#send(text);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** The first failure, after everything that was written has arrived or failed. */
  async flushed(): Promise<NodeJS.ErrnoException | undefined> {
    await Promise.all(this.#waiting);
    return this.#failure;
  }

  #send(text: string): void {
    const sent = new Promise<void>((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    });
    this.#waiting.add(sent);
    void sent.then(() => this.#waiting.delete(sent));
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#onFailure();
  }
}

/** Node writes to a file once and ignores that a full disk took only the beginning. */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
