/** The model call that a message of a WebSocket asks for. */
import { WebSocket } from 'ws';
import { AppError } from '../../domain/errors/errors.ts';
import type { BodyReservation } from '../body/body-budget.ts';
import type { ClientPresence, Incoming, Upload } from '../call/incoming-call.ts';
import { newRequestId } from '../call/request-id.ts';

/** A call of the connection that `opening` opened, without a body. */
export function messageCall(
  opening: Incoming,
  client: ClientPresence,
  nowMs: number,
): Omit<Incoming, 'upload'> {
  const { upload: _, ...call } = opening;
  const sessionId = opening.requestId;
  const requestId = newRequestId(nowMs);
  return { ...call, method: 'POST', requestId, sessionId, client, receivedAtMs: nowMs };
}

/** A body that has arrived; its bytes are counted in `reservation` when it is read. */
export function arrivedUpload(body: Buffer, reservation: BodyReservation): Upload {
  return {
    announcedBytes: body.length,
    async read(_account, maxBytes) {
      if (body.length > maxBytes) throw new AppError('body_too_large', { limit: maxBytes });
      reservation.grow(body.length);
      return body;
    },
    grow: (bytes) => reservation.grow(bytes),
    hold: (units) => reservation.hold(units),
    free: () => reservation.free(),
  };
}

/** The client of one message: it leaves when its connection closes before `end`. */
export class SocketPresence implements ClientPresence {
  readonly #socket: WebSocket;
  readonly #callbacks: (() => void)[] = [];
  readonly #leave: () => void;
  leftAtMs: number | undefined;

  constructor(socket: WebSocket, now: () => number) {
    this.#socket = socket;
    this.#leave = () => {
      this.leftAtMs = now();
      for (const callback of this.#callbacks.splice(0)) callback();
    };
    if (socket.readyState === WebSocket.OPEN) socket.once('close', this.#leave);
    else this.#leave();
  }

  onLeave(callback: () => void): void {
    if (this.leftAtMs === undefined) this.#callbacks.push(callback);
    else callback();
  }

  end(): void {
    this.#socket.off('close', this.#leave);
  }
}
