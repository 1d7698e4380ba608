/** Months such as `2026-11`, as the statement names them. */

export function currentMonth(now: Date): string {
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;
}

/** The month that is `months` after this one. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}

/** Its first day, for texts. */
export function firstDayOf(month: string): Date {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(year, number - 1);
}

export function isMonth(text: string): boolean {
  return /^20\d\d-(0[1-9]|1[0-2])$/.test(text);
}
