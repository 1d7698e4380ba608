/** Input generators that several parser tests share. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';

/** Splits bytes at any places, with empty pieces among them. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const within = places.map((index) => index % (bytes.length + 1));
  const ordered = [0, ...within, bytes.length].toSorted((a, b) => a - b);
  return ordered.slice(1).map((end, at) => bytes.subarray(ordered[at], end));
}

export const places = fc.array(fc.nat(4_000), { maxLength: 10 });

/** Any text, including lone surrogates, control characters and special names of scripts. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', ' ', '\u0000', '\ud800', '__proto__', 'constructor', 'null', '-0', '1e999'),
);

/** Bytes with one fault: a flipped bit, a byte more or less, or an early end. */
export function damaged(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    kind: fc.constantFrom('flip', 'insert', 'drop', 'end'),
    at: fc.nat(5_000),
    byte: fc.integer({ min: 1, max: 255 }),
  });
  return fc.tuple(bytes, fc.array(change, { minLength: 1, maxLength: 3 })).map(([given, changes]) =>
    changes.reduce((whole, { kind, at, byte }) => {
      const index = whole.length === 0 ? 0 : at % whole.length;
      const [head, tail] = [whole.subarray(0, index), whole.subarray(index)];
      if (kind === 'end') return head;
      if (kind === 'insert') return Buffer.concat([head, Buffer.of(byte), tail]);
      if (kind === 'drop') return Buffer.concat([head, tail.subarray(1)]);
      const [first = 0] = tail;
      return Buffer.concat([head, Buffer.of(first ^ byte), tail.subarray(1)]);
    }, given),
  );
}

/** The result or the refusal code of `work`; any other error is a fault of the parser. */
export function outcomeOf<T>(work: () => T): T | { readonly refused: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code };
    throw error;
  }
}

const SOON_MS = 5_000;

/** The result or the refusal of `work`, which must come soon. */
export async function soonOutcomeOf<T>(work: Promise<T>): Promise<T | AppError> {
  const never = new Promise((resolve) => setTimeout(resolve, SOON_MS, 'never').unref());
  const outcome = await Promise.race([work.catch((error: unknown) => error), never]);
  expect(outcome).not.toBe('never');
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AppError);
  return outcome as T | AppError; // by the lines above
}
