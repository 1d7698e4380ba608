/** JSON objects of unknown shape, for example from a request or another program. */
export type JsonFields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for text that is not a JSON object. */
export function parsedFields(text: string): JsonFields | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
