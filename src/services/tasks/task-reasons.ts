/** The reasons of failed tasks: those of the gateway are stored as events and errors. */
import type { Context } from '../../context.ts';
import type { Language } from '../../domain/languages.ts';
import { storedText } from '../../locales/event-text.ts';
import { eventAudience } from '../logs/audit.ts';

/** The row of a task with its reason in words. */
export function wordedTask<T extends { readonly fail_reason?: unknown }>(
  ctx: Pick<Context, 'options'>,
  row: T,
  language: Language,
): T {
  const reason = row.fail_reason;
  if (typeof reason !== 'string' || reason === '') return row;
  return { ...row, fail_reason: storedText(reason, eventAudience(ctx, language)) };
}
