/** Frames of a stream. */

/** One stream frame, as returned by the SSE reader. */
export interface StreamFrame {
  /** '' if the frame has no event name. */
  readonly event: string;
  readonly data: string;
}

export interface WireError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly requestId?: string;
}

/** Data with line breaks is written as several lines (WHATWG HTML 9.2.6). */
export function dataFrame(data: string): string {
  return data.includes('\n')
    ? `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
    : `data: ${data}\n\n`;
}

/** Anthropic's SDKs ignore frames without an event name. */
export function namedFrame(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
