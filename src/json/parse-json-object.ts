/** Parses a JSON object; returns an empty object for any other text, as old installations have. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** The members of a JSON object, each as text. */
export function parsedStrings(text: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parsedObject(text)).map(([key, value]) => [key, String(value)]),
  );
}
