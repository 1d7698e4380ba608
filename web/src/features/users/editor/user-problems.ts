import type { TFunction } from 'i18next';
import type { Problem, Problems } from './user-form.ts';

/** Errors by field, as forms expect them. */
export function problemTexts<V>(t: TFunction, problems: Problems<V>): Record<string, string> {
  return Object.fromEntries(
    Object.entries<Problem | undefined>(problems).flatMap(([field, problem]) =>
      problem === undefined ? [] : [[field, t(`user.error.${problem}`)]],
    ),
  );
}
