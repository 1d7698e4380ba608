/** Uniform random integers. */

const BYTES = 6;
const SPAN = 2 ** (8 * BYTES);

/** An integer from `least` to `most`, both inclusive; they must be less than 2^48 apart. */
export function randomBetween(random: (size: number) => Buffer, min: number, max: number): number {
  const count = max - min + 1;
  // Values above this would bias the result towards low numbers.
  const fair = SPAN - (SPAN % count);
  for (;;) {
    const drawn = random(BYTES).readUIntBE(0, BYTES);
    if (drawn < fair) return min + (drawn % count);
  }
}
