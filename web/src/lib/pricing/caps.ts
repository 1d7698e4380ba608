/** Form values and validation of the limits of users and tokens. */
import { CAPS } from '../../../../src/domain/nouns/caps.ts';

export type CapField = keyof typeof CAPS;
export type Caps = Readonly<Record<CapField, number>>;

/** The fields whose number is not a valid limit. */
export function capProblems(caps: Caps): Partial<Record<CapField, 'cap'>> {
  const isFit = (field: CapField) =>
    Number.isSafeInteger(caps[field]) && caps[field] >= 0 && caps[field] <= CAPS[field].most;
  return {
    ...(!isFit('max_concurrency') && { max_concurrency: 'cap' }),
    ...(!isFit('tokens_per_minute') && { tokens_per_minute: 'cap' }),
  };
}
