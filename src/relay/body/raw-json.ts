/**
 * A value of a large body that the gateway does not read: valid JSON, kept as the bytes the client sent.
 * For everything that looks into a body it is an object without fields; whoever writes JSON of a large
 * body (`write-json.ts`) writes the bytes.
 */
export class RawJson {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** For whoever writes it in one go. */
  toJSON(): unknown {
    return JSON.parse(this.#bytes.toString('utf8'));
  }
}
