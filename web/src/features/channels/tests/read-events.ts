/** One event of a server-sent stream. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Parses events from a text stream split at any position. Skips comments. */
export async function* serverEvents(pieces: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const piece of pieces) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const lines = block.split('\n');
  const valuesOf = (field: string) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).trim());
  const data = valuesOf('data');
  if (data.length === 0) return undefined;
  return { name: valuesOf('event')[0] ?? 'message', data: data.join('\n') };
}
