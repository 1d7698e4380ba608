/** Inputs that several parsers are fed with. */
import fc from 'fast-check';
import { AppError } from '../../src/domain/errors/errors.ts';

/** Bytes cut anywhere, pieces of nothing among them. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const within = places.map((place) => place % (bytes.length + 1));
  const ordered = [0, ...within, bytes.length].toSorted((a, b) => a - b);
  return ordered.slice(1).map((end, at) => bytes.subarray(ordered[at], end));
}

export const places = fc.array(fc.nat(4_000), { maxLength: 10 });

/** Any text: half surrogates, controls and what scripts trip over. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', ' ', '\u0000', '\ud800', '__proto__', 'constructor', 'null', '-0', '1e999'),
);

/** Bytes with a change somewhere: a bit, a byte more or less, an end too early. */
export function damaged(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    kind: fc.constantFrom('flip', 'insert', 'drop', 'end'),
    at: fc.nat(5_000),
    byte: fc.integer({ min: 1, max: 255 }),
  });
  return fc.tuple(bytes, fc.array(change, { minLength: 1, maxLength: 3 })).map(([given, changes]) =>
    changes.reduce((whole, { kind, at, byte }) => {
      const place = whole.length === 0 ? 0 : at % whole.length;
      const [head, tail] = [whole.subarray(0, place), whole.subarray(place)];
      if (kind === 'end') return head;
      if (kind === 'insert') return Buffer.concat([head, Buffer.of(byte), tail]);
      if (kind === 'drop') return Buffer.concat([head, tail.subarray(1)]);
      const [first = 0] = tail;
      return Buffer.concat([head, Buffer.of(first ^ byte), tail.subarray(1)]);
    }, given),
  );
}

/** What the work gives, or the code of its refusal; any other failure is one of the parser. */
export function outcomeOf<T>(work: () => T): T | { readonly refused: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code };
    throw error;
  }
}
