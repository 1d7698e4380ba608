import { connect } from 'node:net';
import type { Site } from '../support/site.ts';

/** The server's complete reply to these bytes, which must request that it closes. */
export async function rawReply(site: Site, bytes: string): Promise<string> {
  const url = new URL(site.url);
  const socket = connect(Number(url.port), url.hostname);
  socket.setEncoding('utf8').write(bytes);
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
}
