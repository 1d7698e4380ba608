/** What is left of a paid plan of the new-api family; pure. */
import type { NoteCode } from './report.ts';
import { columnText, intIn, type SourceRow, secondsIn } from './values.ts';

/** @returns quota units, or why the plan cannot become a balance. */
export function planRemainder(
  row: SourceRow,
  nowSec: number,
): { readonly units: number } | { readonly skip: NoteCode } {
  const total = intIn(row.amount_total);
  const units = total - intIn(row.amount_used);
  const isActive = columnText(row.status) === 'active' && secondsIn(row.end_time) > nowSec;
  if (!isActive) return { skip: 'plan_ended' };
  // 0 is an unlimited plan; older versions count per model instead.
  if (total <= 0) return { skip: 'plan_unlimited' };
  return units > 0 ? { units } : { skip: 'plan_ended' };
}
