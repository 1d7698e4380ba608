/** How frames are written on the wire. */

/** Data that holds line breaks goes out in several lines (WHATWG HTML 9.2.6). */
export function dataFrame(data: string): string {
  return data.includes('\n')
    ? `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
    : `data: ${data}\n\n`;
}

/** Anthropic's SDKs read nothing from a frame that does not name its event. */
export function namedFrame(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
