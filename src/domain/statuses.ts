/**
 * Stored statuses, each with the word used by locales, CLI filters and badges. An unknown number
 * reads as `unknown`, never as an error.
 */
export const USER_STATUS = { enabled: 1, banned: 2, locked: 3 } as const;
export const CHANNEL_STATUS = { enabled: 1, disabled: 2, auto_disabled: 3 } as const;
export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const;

export const DRAWING_STATUSES = [
  'NOT_START',
  'SUBMITTED',
  'MODAL',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
] as const;

export const TASK_STATUSES = [
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
  'UNKNOWN',
] as const;

export const DRAWING_ACTIONS = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'DESCRIBE',
  'BLEND',
  'UPLOAD',
  'SHORTEN',
  'REROLL',
  'INPAINT',
  'ZOOM',
  'CUSTOM_ZOOM',
  'MODAL',
  'SWAP_FACE',
] as const;

export const MUSIC_ACTIONS = ['MUSIC', 'LYRICS'] as const;

/** The word for a number, e.g. `statusWord(TOKEN_STATUS, 4)` is `exhausted`. */
export function statusWord<W extends string>(
  table: Readonly<Record<W, number>>,
  value: number,
): W | 'unknown' {
  for (const word in table) if (table[word] === value) return word;
  return 'unknown';
}

/** The number for a word, or for a number of the table as text, as given in flags and filters. */
export function statusNumber<W extends string>(
  table: Readonly<Record<W, number>>,
  text: string,
): number | undefined {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  for (const word in table) {
    if (word === wanted || String(table[word]) === wanted) return table[word];
  }
  return undefined;
}

/** Whether an image task or other task is finished: such a row never changes again. */
export function isFinished(status: string): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}
