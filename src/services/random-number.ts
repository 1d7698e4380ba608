/** Whole numbers by chance, each as likely as the others when the bytes are. */

const BYTES = 6;
const SPAN = 2 ** (8 * BYTES);

/** A whole number from `least` to `most`, both included; they are less than 2^48 apart. */
export function randomBetween(
  random: (size: number) => Buffer,
  least: number,
  most: number,
): number {
  const count = most - least + 1;
  // Above this a draw would favour the lowest numbers.
  const fair = SPAN - (SPAN % count);
  for (;;) {
    const drawn = random(BYTES).readUIntBE(0, BYTES);
    if (drawn < fair) return least + (drawn % count);
  }
}
