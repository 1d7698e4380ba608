/**
 * Lets calls begin in turns, so that many connections of one sender, opened at once, do not delay
 * the call of another until all of them are authenticated and answered. A turn of the event loop
 * begins a few calls; the others wait, and the senders who wait take turns.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Calls that begin in one turn: two to four milliseconds of work. */
const CALLS_PER_TURN = 8;

/** Those who wait, by sender, in the order in which they are served. */
const waiting = new Map<string, (() => void)[]>();
let left = CALLS_PER_TURN;
let isTurnOpen = false;

/** Begins a call now, or in a later turn if this one has begun enough. */
export function beginInTurn(headers: IncomingHttpHeaders, begin: () => void): void {
  if (!isTurnOpen) {
    isTurnOpen = true;
    setImmediate(nextTurn);
  }
  if (left > 0) {
    left--;
    begin();
    return;
  }
  const sender = senderOf(headers);
  const line = waiting.get(sender);
  if (line === undefined) waiting.set(sender, [begin]);
  else line.push(begin);
}

function nextTurn(): void {
  left = CALLS_PER_TURN;
  isTurnOpen = waiting.size > 0;
  if (!isTurnOpen) return;
  setImmediate(nextTurn);
  while (left > 0) {
    const [next] = waiting;
    if (next === undefined) return;
    const [sender, line] = next;
    waiting.delete(sender);
    const [begin, ...others] = line;
    if (others.length > 0) waiting.set(sender, others);
    left--;
    begin?.();
  }
}

/** The key of the call, which is not checked yet. */
function senderOf(headers: IncomingHttpHeaders): string {
  const { authorization, 'x-api-key': key, 'x-goog-api-key': googleKey } = headers;
  return authorization ?? String(key ?? googleKey ?? '');
}
