/** The nine tones of badges. A tone only repeats what the text says. */
export type Tone =
  | 'green'
  | 'lime'
  | 'yellow'
  | 'orange'
  | 'red'
  | 'blue'
  | 'violet'
  | 'teal'
  | 'grey';

export interface ToneStyle {
  readonly background: string;
  readonly color: string;
}

const STYLES = new Map<Tone, ToneStyle>();

/** Text on its tint; returns the same object for the same tone. */
export function toneStyle(tone: Tone): ToneStyle {
  const known = STYLES.get(tone);
  if (known) return known;
  const made = { background: `var(--tone-${tone}-tint)`, color: `var(--tone-${tone}-text)` };
  STYLES.set(tone, made);
  return made;
}

/** Tone of a channel test's response time, ms. 0 is untested. */
export function responseTone(ms: number): Tone {
  if (ms === 0) return 'grey';
  if (ms <= 1_000) return 'green';
  if (ms <= 3_000) return 'lime';
  if (ms <= 5_000) return 'yellow';
  return 'red';
}

/** Tone of a group's ratio compared with 1. */
export function ratioTone(ratio: number): Tone {
  if (ratio > 5) return 'red';
  if (ratio > 3) return 'orange';
  if (ratio > 1) return 'blue';
  return 'green';
}

/** The same text always gets the same tone. */
export function toneOf(text: string): Tone {
  return HASHED[hashOf(text) % HASHED.length] ?? 'grey';
}

const HASHED: readonly Tone[] = ['blue', 'violet', 'teal', 'green', 'lime', 'yellow', 'orange'];

/** FNV-1a, 32 bit. */
export function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash >>> 0;
}
