/** Raw keys of a terminal, by name. */
import { decodeKeys } from './model/keys.ts';

/** A lone escape is the key of that name when nothing follows for so long. */
const ESCAPE_MS = 40;

/** Gives what undoes it. */
export function listen(stdin: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  const feed = (text: string, isEnd: boolean) => {
    const decoded = decodeKeys(text, isEnd);
    rest = decoded.rest;
    for (const key of decoded.keys) onKey(key);
  };
  const onData = (chunk: string | Buffer) => {
    clearTimeout(timer);
    feed(rest + chunk.toString(), false);
    if (rest !== '') timer = setTimeout(() => feed(rest, true), ESCAPE_MS);
  };
  stdin.setEncoding('utf8');
  stdin.setRawMode?.(true);
  stdin.ref?.();
  stdin.resume?.();
  stdin.on('data', onData);
  return () => {
    clearTimeout(timer);
    stdin.off('data', onData);
    stdin.setRawMode?.(false);
    stdin.pause?.();
  };
}
