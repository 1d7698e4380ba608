/** Lists of names in a text. */
import i18next from 'i18next';

/** `a, b`, in Chinese `a、b`. */
export function listText(values: readonly string[]): string {
  return values.join(i18next.t('list.separator'));
}

/** The most names that a question before a deletion lists. */
export const MAX_NAMED = 10;

/** The first names, and an ellipsis if there are more. */
export function someNames(names: readonly string[], total = names.length): string {
  const first = names.slice(0, MAX_NAMED);
  return listText(total > first.length ? [...first, '…'] : first);
}
