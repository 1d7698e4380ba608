const ALLOWED = 'allow-scripts allow-forms allow-popups';

/**
 * How a chat program opens: `app` by a link of an installed program, such as `ama://`; `tab` where
 * browsers refuse the frame, as a page that came by https may not hold one by http; else in a frame.
 */
export function openingOf(place: string, ownProtocol: string): 'app' | 'tab' | 'frame' {
  const { protocol } = new URL(place);
  if (protocol !== 'https:' && protocol !== 'http:') return 'app';
  return protocol === 'http:' && ownProtocol === 'https:' ? 'tab' : 'frame';
}

/**
 * What a framed program may do. Its own storage it keeps, unless it stands on our origin: with
 * scripts it could then take the sandbox off itself.
 */
export function sandboxFor(place: string, ownOrigin: string): string {
  return new URL(place).origin === ownOrigin ? ALLOWED : `${ALLOWED} allow-same-origin`;
}

/** The console's look, for a program that wants to match it. */
export function messageFor(place: string, theme: 'light' | 'dark', language: string) {
  return { message: { themeMode: theme, lang: language }, origin: new URL(place).origin };
}
