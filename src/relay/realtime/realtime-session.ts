/**
 * Runs a Realtime session: one reader per side forwards messages one at a time, and either side or
 * the gateway can end the session. Usage reported by the upstream is settled in order, before its
 * event is forwarded to the client.
 */
import type { WebSocket } from 'ws';
import {
  cancelEvent,
  type RealtimeEvent,
  type RealtimeUsage,
  readEvent,
  realtimeUsageOf,
  sessionUpdate,
  transcriptionModel,
} from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { objectIn, textIn } from '../../json/read-json.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import type { Routed } from '../call/admitted.ts';
import type { Relay } from '../call/relay-ports.ts';
import { ClientEvents, presetEvent } from './client-events.ts';
import type { Dialled } from './dial-upstream.ts';
import { SessionBilling } from './realtime-billing.ts';
import { callerOf, type PresentedCredentials } from './realtime-caller.ts';
import { closeSocket, type Frame, FrameSource, send } from './realtime-frames.ts';
import { Heartbeat } from './realtime-heartbeat.ts';
import {
  brokenBy,
  NORMAL,
  refusedBy,
  type SessionEnd,
  SHUTDOWN,
  upstreamEnd,
} from './session-end.ts';
import { UsageTally } from './session-usage.ts';
import { gatewayError, isSessionEvent, shownEvent, shownReason } from './shown-events.ts';

export interface Opened {
  readonly call: Routed;
  readonly presented: PresentedCredentials;
  readonly dialled: Dialled;
  readonly countSuccess: CountSuccess;
  /** Releases the permits; a session counts as one running call for as long as it lasts. */
  readonly releaseCallPermits: () => Promise<void>;
}

export class RealtimeSession {
  readonly #relay: Relay;
  readonly #opened: Opened;
  readonly #upstream: FrameSource;
  readonly #tally = new UsageTally();
  readonly #bill: SessionBilling;
  readonly #requests: ClientEvents;
  #client: FrameSource | undefined;
  #transcriber = '';
  #isCounted = false;
  #isDraining = false;
  #isOver = false;
  #stop: (end: SessionEnd) => void = () => undefined;
  readonly #stopped = new Promise<SessionEnd>((resolve) => {
    this.#stop = resolve;
  });
  /** Called when no response is running any more. */
  #onQuiet: () => void = () => undefined;

  constructor(relay: Relay, opened: Opened) {
    this.#relay = relay;
    this.#opened = opened;
    this.#upstream = opened.dialled.upstream;
    this.#bill = new SessionBilling(relay, opened.call, this.#tally);
    this.#requests = new ClientEvents(relay, opened.call, this.#bill, this.#tally);
  }

  /** Resolves when both sides are closed and everything is settled. */
  async run(socket: WebSocket): Promise<void> {
    const client = new FrameSource(socket);
    this.#client = client;
    const heartbeat = new Heartbeat(this.#relay.ctx.config, [client, this.#upstream], (error) =>
      this.#stop(refusedBy(error)),
    );
    const reading = this.#readUpstream(heartbeat).catch(brokenBy);
    const writing = this.#readClient(client, heartbeat).catch(brokenBy);
    const end = await Promise.race([reading, writing, this.#stopped]);
    heartbeat.stop();
    try {
      await this.#finish(end, reading);
    } finally {
      await this.#opened.releaseCallPermits();
    }
  }

  /** Closes a session whose client left before its connection was upgraded. */
  async abandon(): Promise<void> {
    await this.#opened.releaseCallPermits();
    await closeSocket(this.#upstream.socket, NORMAL);
    await this.#bill.close();
  }

  /** Ends the session at once if its key may no longer be used. */
  async recheck(): Promise<void> {
    try {
      await callerOf(this.#relay, this.#opened.presented);
    } catch (error) {
      // A database error does not end a running session.
      if (error instanceof AppError) this.#stop(refusedBy(error));
    }
  }

  isOf(table: 'tokens' | 'users', ids: readonly number[] | 'all'): boolean {
    const { token, user } = this.#opened.call.caller;
    return ids === 'all' || ids.includes(table === 'tokens' ? token.id : user.id);
  }

  /** Ends the session as soon as no response is running. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#bill.isActive) this.#stop(SHUTDOWN);
  }

  /** Breaks both connections; what was delivered is still charged. */
  breakOff(): void {
    this.#stop(SHUTDOWN);
    this.#upstream.socket.terminate();
    this.#client?.socket.terminate();
  }

  async #readClient(client: FrameSource, heartbeat: Heartbeat): Promise<SessionEnd> {
    const { presented, call } = this.#opened;
    if (presented.preset !== undefined) {
      const session = { ...presented.preset.session, model: call.route.upstreamModel };
      await send(this.#upstream.socket, presetEvent(sessionUpdate(session), call));
    }
    for (;;) {
      const frame = await client.next();
      if (frame === 'waited') continue;
      if ('code' in frame) return { by: 'client', code: frame.code, reason: frame.reason };
      // Keep reading after the end, to receive the close frame.
      if (this.#isOver) continue;
      heartbeat.received();
      await this.#fromClient(client, frame);
    }
  }

  /** Forwards bytes unchanged, unless something in them must change. */
  async #fromClient(client: FrameSource, { data, isBinary }: Frame): Promise<void> {
    const event = readEvent(data.toString());
    try {
      const text = await this.#requests.accepted(event);
      await this.#forward(
        this.#upstream,
        { data, isBinary },
        text === event?.text ? undefined : text,
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await this.#sendError(client, error, textIn(event?.json, 'event_id'));
    }
  }

  /** `text`: instead of the frame's own bytes. */
  async #forward({ socket }: FrameSource, { data, isBinary }: Frame, text?: string): Promise<void> {
    await send(socket, text ?? data, text === undefined && isBinary);
  }

  /** Cancels a response that the upstream started by itself and that has no hold or permit. */
  async #begun(responseId: string): Promise<void> {
    try {
      await this.#bill.begun(responseId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await send(this.#upstream.socket, cancelEvent(responseId));
      if (this.#client !== undefined) await this.#sendError(this.#client, error);
    }
  }

  async #readUpstream(heartbeat: Heartbeat): Promise<SessionEnd> {
    const greeting = [...this.#opened.dialled.greeting];
    for (;;) {
      const frame = greeting.shift() ?? (await this.#upstream.next());
      if (frame === 'waited') continue;
      if ('code' in frame)
        return upstreamEnd(frame, (reason) => shownReason(this.#relay, this.#opened.call, reason));
      heartbeat.received();
      try {
        await this.#fromUpstream(frame);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // The account cannot pay for another response; the current one is charged already.
        this.#stop(refusedBy(error));
      }
    }
  }

  async #fromUpstream(frame: Frame): Promise<void> {
    const event = readEvent(frame.data.toString());
    const consumption = event === undefined ? undefined : realtimeUsageOf(event);
    if (event !== undefined) await this.#observe(event);
    let refusal: unknown;
    try {
      if (consumption !== undefined) await this.#note(consumption);
    } catch (error) {
      refusal = error;
    }
    if (this.#client !== undefined) await this.#forward(this.#client, frame, this.#shown(event));
    if (refusal !== undefined) throw refusal;
    if (consumption?.kind === 'done' && !this.#bill.isActive) this.#quiet();
  }

  async #observe(event: RealtimeEvent): Promise<void> {
    if (isSessionEvent(event)) {
      this.#tally.session(event);
      this.#transcriber = transcriptionModel(event);
    }
    if (event.type === 'error')
      await this.#bill.refused(textIn(objectIn(event.json, 'error'), 'event_id') ?? '');
  }

  /** The event as sent to the client, if it differs from the original. */
  #shown(event: RealtimeEvent | undefined): string | undefined {
    if (event === undefined) return undefined;
    const text = shownEvent(this.#relay, this.#opened.call, event);
    return text === event.text ? undefined : text;
  }

  #quiet(): void {
    this.#onQuiet();
    if (this.#isDraining) this.#stop(SHUTDOWN);
  }

  async #note(consumption: RealtimeUsage): Promise<void> {
    switch (consumption.kind) {
      case 'begun':
        return this.#begun(consumption.responseId);
      case 'delivered':
        return this.#bill.delivered(consumption);
      case 'transcribed':
        return this.#bill.transcribed(consumption.usage, this.#transcriber);
      case 'done':
        await this.#countOnce();
        return this.#bill.done(consumption);
      case 'none':
        return;
      default:
        consumption satisfies never;
    }
  }

  /** For rate limits a session is one call, counted as successful with its first response. */
  async #countOnce(): Promise<void> {
    if (this.#isCounted) return;
    this.#isCounted = true;
    await this.#opened.countSuccess();
  }

  async #finish(end: SessionEnd, reading: Promise<SessionEnd>): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#isOver = true;
    const leaving = client === undefined ? undefined : this.#leave(client, end);
    if (end.by !== 'upstream') await this.#lastUsage(reading);
    // Count the rest here only after no more usage can arrive.
    await Promise.all([leaving, closeSocket(this.#upstream.socket, NORMAL), reading]);
    await this.#bill.cutOff(end.by === 'upstream' ? 'upstream_broke' : 'client_left');
    await this.#bill.close();
  }

  async #leave(client: FrameSource, end: SessionEnd): Promise<void> {
    if (end.error !== undefined) await this.#sendError(client, end.error);
    await closeSocket(client.socket, end.code, end.reason);
  }

  /** Cancels the running response and waits, because the upstream may still report its usage. */
  async #lastUsage(reading: Promise<SessionEnd>): Promise<void> {
    if (!this.#bill.isActive) return;
    const quiet = new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
    await send(this.#upstream.socket, cancelEvent(''));
    const { clientGraceMs } = this.#relay.ctx.config;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, clientGraceMs);
    });
    await Promise.race([quiet, reading, grace]);
    clearTimeout(timer);
  }

  async #sendError(client: FrameSource, thrown: unknown, about?: string): Promise<void> {
    await send(client.socket, gatewayError(this.#relay, this.#opened.call, thrown, about));
  }
}
