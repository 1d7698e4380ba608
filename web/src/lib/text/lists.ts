/** Lists of names in a text. */
import i18next from 'i18next';

/** `a, b`, in Chinese `a、b`. */
export function listText(values: readonly string[]): string {
  return values.join(i18next.t('list.separator'));
}
