/** An output stream of the process that remembers its first failed write. */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

export type Output = NodeJS.WriteStream & { readonly fd: 1 | 2 };

export class OutputSink {
  readonly #stream: Output;
  readonly #isFile: boolean;
  readonly #onFailure: () => void;
  readonly #waiting = new Set<Promise<void>>();
  #failure: NodeJS.ErrnoException | undefined;

  constructor(stream: Output, onFailure: () => void) {
    this.#stream = stream;
    // Terminals and pipes are sockets; all others are files and devices.
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

  /** Resolves with the first failure, after all writes have completed or failed. */
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

/** Node calls write once for a file and ignores partial writes on a full disk. */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
