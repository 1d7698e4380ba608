import type { TFunction } from 'i18next';
import type { Problem } from './form.ts';

/** Errors by field, as forms expect them. */
export function problemTexts(
  t: TFunction,
  problems: Readonly<Record<string, Problem | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problems).flatMap(([field, problem]) =>
      problem === undefined ? [] : [[field, t(`message.error.${problem}`)]],
    ),
  );
}
