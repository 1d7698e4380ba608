/** A message channel between two processes, without the processes. */
import { EventEmitter } from 'node:events';
import type { ProcessChannel } from '../../src/store/kv/shared-kv.ts';

/** Two ends of a process channel; messages arrive later, as copies. */
export function aProcessLine<Message>() {
  const ends = [new EventEmitter(), new EventEmitter()];
  let isWhole = true;
  const end = (
    own: EventEmitter | undefined,
    other: EventEmitter | undefined,
  ): ProcessChannel<Message> => ({
    send(message) {
      const copy: unknown = structuredClone(message);
      if (isWhole) setImmediate(() => isWhole && other?.emit('message', copy));
      return isWhole;
    },
    onMessage: (listener) => void own?.on('message', listener),
    onBroken: (listener) => void own?.once('broken', listener),
  });
  return {
    near: end(ends[0], ends[1]),
    far: end(ends[1], ends[0]),
    cut() {
      isWhole = false;
      for (const each of ends) each.emit('broken');
    },
  };
}
