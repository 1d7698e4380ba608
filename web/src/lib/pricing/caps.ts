/** Form values and validation of the limits of users and tokens. */
export const MAX_CAPS = { max_concurrency: 1_000_000, tokens_per_minute: 1_000_000_000 } as const;

export type CapField = keyof typeof MAX_CAPS;
export type Caps = Readonly<Record<CapField, number>>;

export const NO_CAPS: Caps = { max_concurrency: 0, tokens_per_minute: 0 };

/** The fields whose number is not a valid limit. */
export function capProblems(caps: Caps): Partial<Record<CapField, 'cap'>> {
  const isFit = (field: CapField) =>
    Number.isSafeInteger(caps[field]) && caps[field] >= 0 && caps[field] <= MAX_CAPS[field];
  return {
    ...(!isFit('max_concurrency') && { max_concurrency: 'cap' }),
    ...(!isFit('tokens_per_minute') && { tokens_per_minute: 'cap' }),
  };
}
