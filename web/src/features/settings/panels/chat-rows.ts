/** Converts the option `Chats` to rows of an editor, and back. */
export interface ChatRow {
  readonly name: string;
  readonly url: string;
}

/** undefined if the text is not a list of one-entry maps. */
export function chatRows(text: string): ChatRow[] | undefined {
  try {
    const list: unknown = JSON.parse(text === '' ? '[]' : text);
    if (!Array.isArray(list)) return undefined;
    const rows = list.map((item: unknown) => {
      const [pair] = typeof item === 'object' && item !== null ? Object.entries(item) : [];
      return pair && typeof pair[1] === 'string' ? { name: pair[0], url: pair[1] } : undefined;
    });
    return rows.some((row) => row === undefined)
      ? undefined
      : rows.filter((row) => row !== undefined);
  } catch {
    return undefined;
  }
}

export function chatText(rows: readonly ChatRow[]): string {
  return JSON.stringify(
    rows.map(({ name, url }) => ({ [name]: url })),
    null,
    2,
  );
}

/** The rows with one moved from index `from` to `to`. */
export function moved<T>(rows: readonly T[], from: number, to: number): T[] {
  const next = [...rows];
  const [row] = next.splice(from, 1);
  if (row !== undefined) next.splice(to, 0, row);
  return next;
}
