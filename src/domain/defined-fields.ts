/** Parts of objects with fields that may be undefined. */

/** The fields that are not undefined. */
export function definedFields<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>; // a subset of the fields
}

/** The defined fields of `sent` that differ from those of a stored row. */
export function differingFields<T extends object>(stored: object, sent: T): Partial<T> {
  const entries = Object.entries(definedFields(sent));
  const changed = entries.filter(([name, value]) => value !== Reflect.get(stored, name));
  return Object.fromEntries(changed) as Partial<T>; // a subset of the fields
}
