/** Writes the events of a streamed answer as messages of a WebSocket, at the client's pace. */
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import type { Outgoing } from '../call/incoming-call.ts';
import { type SseEvent, SseReader } from '../http/sse.ts';
import { send } from './realtime-frames.ts';

/** The closing event contains the whole answer. */
const MAX_EVENT_BYTES = 128 * 1024 * 1024;

type Data = Extract<SseEvent, { kind: 'data' }>;

/** Resolves when all is sent or the client is gone. `onEvent` gets each event before it is sent. */
export async function sendEvents(
  socket: WebSocket,
  { body }: Pick<Outgoing, 'body'>,
  onEvent: (event: Data) => void,
): Promise<void> {
  const reader = new SseReader({ maxEventBytes: MAX_EVENT_BYTES });
  const sendAll = async (chunk: Buffer): Promise<void> => {
    for (const event of reader.push(chunk)) {
      if (event.kind !== 'data') continue;
      onEvent(event);
      await send(socket, event.data);
    }
  };
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sendAll(chunk).then(() => done(), done);
    },
  });
  const leave = () => sink.destroy();
  socket.once('close', leave);
  const ended = finished(sink).catch(() => undefined);
  if (typeof body === 'string' || Buffer.isBuffer(body)) sink.end(body);
  else if ('writeTo' in body) body.writeTo(sink);
  else body.pipe(sink);
  await ended;
  socket.off('close', leave);
}
