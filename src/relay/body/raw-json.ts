/**
 * A value of a large body that the gateway does not read: valid JSON, kept as the bytes the client
 * sent. Readers see an object without fields; `write-json.ts`, which writes the JSON of large
 * bodies, copies the bytes.
 */
export class RawJson {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Parses the bytes, for callers of `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(this.#bytes.toString('utf8'));
  }
}
