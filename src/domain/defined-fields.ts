/** The fields that are not undefined. */
export function definedFields<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>; // a subset of the fields
}
