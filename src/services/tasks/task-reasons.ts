/** The reasons of failed tasks: those of the gateway are stored as events and errors. */
import { type EventAudience, storedText } from '../../locales/event-text.ts';

/** The row of a task with its reason in words. */
export function wordedTask<T extends { readonly fail_reason?: unknown }>(
  row: T,
  reader: EventAudience,
): T {
  const reason = row.fail_reason;
  if (typeof reason !== 'string' || reason === '') return row;
  return { ...row, fail_reason: storedText(reason, reader) };
}
