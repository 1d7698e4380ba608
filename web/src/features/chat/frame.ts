const ALLOWED = 'allow-scripts allow-forms allow-popups';

/**
 * How a chat application opens: `app` for the link of an installed program, such as `ama://`; `tab`
 * where browsers block the frame, because an https page may not embed an http one; else in a frame.
 */
export function chatOpening(url: string, ownProtocol: string): 'app' | 'tab' | 'frame' {
  const { protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'app';
  return protocol === 'http:' && ownProtocol === 'https:' ? 'tab' : 'frame';
}

/**
 * The sandbox of a framed application. It may use its own storage, except on our origin, where its
 * scripts could remove the sandbox.
 */
export function sandboxFor(url: string, ownOrigin: string): string {
  return new URL(url).origin === ownOrigin ? ALLOWED : `${ALLOWED} allow-same-origin`;
}

/** The console's theme and language, for an application that wants to match them. */
export function messageFor(url: string, theme: 'light' | 'dark', language: string) {
  return { message: { themeMode: theme, lang: language }, origin: new URL(url).origin };
}
