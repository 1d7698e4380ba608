/**
 * The pitfalls by number. Each has exactly one test named for it in this folder, or stands here with
 * the reason why there is none; docs/compatibility.md prints the list.
 */
export const PITFALLS = 85;

/** Why a pitfall has no test here. */
export const UNTESTED: Readonly<Record<string, string>> = {
  D67: 'Betas of Bedrock and Vertex: tested with the clouds, in test/relay/clouds.test.ts.',
  D73: 'Answers that take longer than five minutes: both limits of the HTTP client are switched off, and no test waits that long.',
  D77: 'The subprotocol of realtime sockets: tested with the sessions, in test/relay/realtime.',
  D78: 'Forms whose model comes after the file: tested with the uploads, in test/relay/media.',
};

export interface NamedTest {
  readonly id: string;
  /** The file in this folder. */
  readonly file: string;
  readonly title: string;
}

/** The tests named for a pitfall, in the source of one file. */
export function namedTests(file: string, source: string): NamedTest[] {
  const titles = [...source.matchAll(/(['"`])(D\d\d) (.+?)\1,/g)];
  return titles.map(([, , id = '', title = '']) => ({ id, file, title }));
}
