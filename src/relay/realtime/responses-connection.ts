/**
 * The Responses API over a WebSocket: each `response.create` is a call of its own, which the stages
 * of an HTTP call check, route, bill and answer; its events are sent as messages. One response runs
 * at a time, and the next message waits for its end.
 */
import type { WebSocket } from 'ws';
import { clientDialect } from '../../dialects/all.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import { type JsonObject, parseJson, textIn } from '../../json/read-json.ts';
import { authenticate } from '../admission/authenticate.ts';
import { readJsonBody } from '../body/read-body.ts';
import { readFieldsOf } from '../body/read-fields.ts';
import { writeEdited, writtenBytes } from '../body/write-json.ts';
import type { Caller } from '../call/caller.ts';
import { callerLanguage, type Incoming, type Outgoing } from '../call/incoming-call.ts';
import type { Relay } from '../call/relay-ports.ts';
import { relayCall } from '../relay-call.ts';
import { openAiErrorOf } from '../translate/error-response.ts';
import { sendEvents } from './event-sink.ts';
import { LastResponse } from './last-response.ts';
import { arrivedUpload, messageCall, SocketPresence } from './message-call.ts';
import { closeSocket, type Frame, FrameSource, send } from './realtime-frames.ts';
import { Heartbeat } from './realtime-heartbeat.ts';
import { brokenBy, NORMAL, refusedBy, type SessionEnd, SHUTDOWN } from './session-end.ts';

const ENDED: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

/** @throws AppError: the key is not accepted. Every message is authenticated again. */
export async function openConnection(
  relay: Relay,
  opening: Incoming,
): Promise<ResponsesConnection> {
  return new ResponsesConnection(relay, opening, await authenticate(relay, opening));
}

export class ResponsesConnection {
  readonly #relay: Relay;
  readonly #opening: Incoming;
  readonly #account: number;
  readonly #last: LastResponse;
  #socket: WebSocket | undefined;
  #isBusy = false;
  #isDraining = false;
  #stop: (end: SessionEnd) => void = () => undefined;
  readonly #stopped = new Promise<SessionEnd>((resolve) => {
    this.#stop = resolve;
  });

  constructor(relay: Relay, opening: Incoming, { user }: Caller) {
    this.#relay = relay;
    this.#opening = opening;
    this.#account = user.id;
    this.#last = new LastResponse(relay.bodies.open(user.id));
  }

  /** Resolves when the connection is closed. */
  async run(socket: WebSocket): Promise<void> {
    this.#socket = socket;
    const client = new FrameSource(socket);
    const heartbeat = new Heartbeat(this.#relay.ctx.config, [client], (error) =>
      this.#stop(refusedBy(error)),
    );
    const serving = this.#serve(client, heartbeat).catch(brokenBy);
    const end = await Promise.race([serving, this.#stopped]);
    heartbeat.stop();
    this.#last.forget();
    if (end.error !== undefined) await this.#sendError(socket, this.#opening, end.error);
    await closeSocket(socket, end.code, end.reason);
  }

  /** A key that is no longer valid is refused with the next message. */
  isOf(): boolean {
    return false;
  }

  async recheck(): Promise<void> {}

  drain(): void {
    this.#isDraining = true;
    if (!this.#isBusy) this.#stop(SHUTDOWN);
  }

  breakOff(): void {
    this.#stop(SHUTDOWN);
    this.#socket?.terminate();
  }

  async #serve(client: FrameSource, heartbeat: Heartbeat): Promise<SessionEnd> {
    let next = client.next();
    for (;;) {
      const frame = await next;
      if (frame !== 'waited' && 'code' in frame) return { by: 'client', code: NORMAL, reason: '' };
      // Reading on shows that the client leaves during the response.
      next = client.next();
      if (frame === 'waited') continue;
      this.#isBusy = true;
      await this.#answer(client.socket, frame, () => heartbeat.received());
      this.#isBusy = false;
      if (this.#isDraining) return SHUTDOWN;
    }
  }

  async #answer(socket: WebSocket, { data }: Frame, onEvent: () => void): Promise<void> {
    const { ctx, bodies } = this.#relay;
    onEvent();
    const presence = new SocketPresence(socket, ctx.now);
    const call = messageCall(this.#opening, presence, ctx.now());
    const reservation = bodies.open(this.#account);
    let sent: JsonObject = {};
    try {
      const json = await readJsonBody(data, readFieldsOf('chat'), {
        account: this.#account,
        hold: reservation.hold,
      });
      sent = json.sent;
      const request = this.#last.continuedBy(requestOf(sent));
      const body = writtenBytes(await writeEdited(json, request));
      const incoming = { ...call, upload: arrivedUpload(body, reservation) };
      const outgoing = await this.#outgoing(incoming, request, sent.generate !== false);
      const isKept = await this.#sendAll(socket, outgoing, {
        request,
        bytes: body.length,
        onEvent,
      });
      if (!isKept) this.#last.forget();
    } catch (error) {
      const { previous_response_id: previous } = sent;
      if (typeof previous === 'string') this.#last.forget();
      await this.#sendError(socket, call, previousUnknown(error, previous));
    } finally {
      reservation.free();
      presence.end();
    }
  }

  #outgoing(incoming: Incoming, request: JsonObject, isGenerated: boolean): Awaitable<Outgoing> {
    return isGenerated ? relayCall(this.#relay, incoming) : prepared(incoming, request);
  }

  /** Whether the response can be continued. */
  async #sendAll(socket: WebSocket, outgoing: Outgoing, asked: Asked): Promise<boolean> {
    let isKept = false;
    await sendEvents(socket, outgoing, ({ event, data }) => {
      asked.onEvent();
      const type = event === '' ? textIn(parseJson(data), 'type') : event;
      if (type === undefined || !ENDED.has(type)) return;
      isKept = true;
      this.#last.keep(data, asked.request, asked.bytes);
    });
    return isKept;
  }

  async #sendError(
    socket: WebSocket,
    incoming: Pick<Incoming, 'requestId' | 'headers' | 'endpoint' | 'dialect'>,
    thrown: unknown,
  ): Promise<void> {
    const { log, observer } = this.#relay.ctx;
    const language = callerLanguage(incoming);
    const answer = openAiErrorOf(thrown, {
      requestId: incoming.requestId,
      language,
      log,
      observer,
    });
    const { errorStatus = 'status' } = clientDialect(incoming);
    const status = answer[errorStatus] ?? answer.status;
    await send(socket, JSON.stringify({ type: 'error', status, error: answer.body.error }));
  }
}

interface Asked {
  readonly request: JsonObject;
  /** Its length. */
  readonly bytes: number;
  readonly onEvent: () => void;
}

/** The request that a message asks for. @throws AppError field_wrong. */
function requestOf(sent: JsonObject): JsonObject {
  const { type, generate: _, background: __, ...fields } = sent;
  if (type !== 'response.create')
    throw wrongField('type', 'not_choice', { choices: 'response.create' });
  return { ...fields, stream: true };
}

/** Clients of a connection send the whole conversation after this error alone. */
function previousUnknown(error: unknown, response: unknown): unknown {
  const param = 'previous_response_id';
  const isAboutIt =
    error instanceof AppError && error.code === 'responses_only' && error.param === param;
  if (!isAboutIt) return error;
  return new AppError('previous_response_unknown', { response: String(response) }, { param });
}

/** `generate: false` prepares a conversation that the next request continues; nothing is billed. */
function prepared(incoming: Incoming, request: JsonObject): Outgoing {
  const dialect = clientDialect(incoming);
  const { model } = dialect.readRequest(request);
  const encoder = dialect.encoder({
    id: incoming.requestId,
    createdSec: Math.floor(incoming.receivedAtMs / 1000),
    model,
    tools: [],
    requestBody: request,
  });
  return { status: 200, headers: {}, body: encoder.end(emptyUsage()) };
}
