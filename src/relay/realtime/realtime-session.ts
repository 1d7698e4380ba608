/**
 * Runs a Realtime session: one reader per side forwards messages one at a time, and either side or
 * the gateway can end the session. Usage reported by the upstream is settled in order, before its
 * event is forwarded to the client.
 */
import type { WebSocket } from 'ws';
import {
  cancelOf,
  duplicateFieldName,
  errorEvent,
  isOutOfBand,
  type RealtimeEvent,
  type RealtimeUsage,
  readEvent,
  realtimeUsageOf,
  requestedOutput,
  sessionModel,
  sessionUpdate,
  transcriptionModel,
  withEventId,
  withSessionModel,
} from '../../dialects/openai/endpoints/realtime.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { objectIn, textIn } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { clientModel } from '../call/call-facts.ts';
import type { Routed } from '../call/call-stages.ts';
import { callerLanguage } from '../call/incoming-call.ts';
import type { Relay } from '../call/relay-ports.ts';
import { brokenUpstream, shownError } from '../failures/upstream-failures.ts';
import { hideKeys } from '../http/redact-repeated-keys.ts';
import { openAiErrorOf } from '../translate/error-response.ts';
import type { Dialled } from './dial-upstream.ts';
import { SessionBilling } from './realtime-billing.ts';
import { callerOf, type PresentedCredentials } from './realtime-caller.ts';
import { type Closed, closeSocket, type Frame, FrameSource, send } from './realtime-frames.ts';
import { Heartbeat } from './realtime-heartbeat.ts';
import { UsageTally } from './session-usage.ts';

export interface Opened {
  readonly call: Routed;
  readonly presented: PresentedCredentials;
  readonly dialled: Dialled;
  readonly countSuccess: CountSuccess;
  /** Releases the permits; a session counts as one running call for as long as it lasts. */
  readonly releaseCallPermits: () => Promise<void>;
}

/**
 * How a session ends. `error` is sent to the client before the connection is closed with `code`.
 */
interface End {
  readonly by: 'client' | 'upstream' | 'gateway';
  readonly code: number;
  readonly reason: string;
  readonly error?: unknown;
}

const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const INTERNAL = 1011;

export class RealtimeSession {
  readonly #relay: Relay;
  readonly #opened: Opened;
  readonly #upstream: FrameSource;
  readonly #tally = new UsageTally();
  readonly #bill: SessionBilling;
  #client: FrameSource | undefined;
  #transcriber = '';
  /** Responses that the client has asked for. */
  #requests = 0;
  #isCounted = false;
  #isDraining = false;
  #isOver = false;
  #stop: (end: End) => void = () => undefined;
  readonly #stopped = new Promise<End>((resolve) => {
    this.#stop = resolve;
  });
  /** Called when no response is running any more. */
  #onQuiet: () => void = () => undefined;

  constructor(relay: Relay, opened: Opened) {
    this.#relay = relay;
    this.#opened = opened;
    this.#upstream = opened.dialled.upstream;
    this.#bill = new SessionBilling(relay, opened.call, this.#tally);
  }

  /** Resolves when both sides are closed and everything is settled. */
  async run(socket: WebSocket): Promise<void> {
    const client = new FrameSource(socket);
    this.#client = client;
    const heartbeat = new Heartbeat(this.#relay.ctx.config, [client, this.#upstream], (error) =>
      this.#stop({ by: 'gateway', code: POLICY, reason: '', error }),
    );
    const reading = this.#readUpstream(heartbeat).catch(internal);
    const writing = this.#readClient(client, heartbeat).catch(internal);
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
      if (error instanceof AppError) this.#stop({ by: 'gateway', code: POLICY, reason: '', error });
    }
  }

  isOf(table: 'tokens' | 'users', ids: readonly number[] | 'all'): boolean {
    const { token, user } = this.#opened.call.caller;
    return ids === 'all' || ids.includes(table === 'tokens' ? token.id : user.id);
  }

  /** Ends the session as soon as no response is running. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#bill.isActive) this.#goAway();
  }

  /** Breaks both connections; what was delivered is still charged. */
  breakOff(): void {
    this.#goAway();
    this.#upstream.socket.terminate();
    this.#client?.socket.terminate();
  }

  #goAway(): void {
    this.#stop({ by: 'gateway', code: GOING_AWAY, reason: 'the gateway is shutting down' });
  }

  async #readClient(client: FrameSource, heartbeat: Heartbeat): Promise<End> {
    const { preset } = this.#opened.presented;
    if (preset !== undefined)
      await send(this.#upstream.socket, sessionUpdate(this.#ownSession(preset.session)));
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

  #ownSession(session: Readonly<Record<string, unknown>>) {
    return { ...session, model: this.#opened.call.upstreamModel };
  }

  /** Forwards bytes unchanged, unless they name the model. */
  async #fromClient(client: FrameSource, { data, isBinary }: Frame): Promise<void> {
    const event = readEvent(data.toString());
    const problem = event === undefined ? NO_OBJECT : this.#problemOf(event);
    const refusal = event === undefined || problem !== undefined ? problem : await this.#pay(event);
    if (event === undefined || refusal !== undefined) {
      await this.#sendError(client, refusal, textIn(event?.json, 'event_id'));
      return;
    }
    const text = this.#rewritten(event);
    await send(this.#upstream.socket, text ?? data, text === undefined && isBinary);
  }

  /** The event for the upstream, if it differs from the client's. */
  #rewritten(event: RealtimeEvent): string | undefined {
    if (event.type === 'response.create') return withEventId(event, this.#eventIdOf(event));
    if (sessionModel(event) === undefined) return undefined;
    return withSessionModel(event, this.#opened.call.upstreamModel);
  }

  /** An error of the upstream must tell which request it is about. */
  #eventIdOf({ json }: RealtimeEvent): string {
    return textIn(json, 'event_id') ?? `${this.#eventId}_${this.#requests}`;
  }

  /**
   * The model cannot change, because the price is that of the model the session was opened with.
   */
  #problemOf(event: RealtimeEvent): AppError | undefined {
    const twice = duplicateFieldName(event);
    if (twice !== undefined) return wrongField(twice, 'repeated');
    const { mostOutput: most = Number.POSITIVE_INFINITY } = this.#bill;
    const output = requestedOutput(event);
    if (output !== undefined && output > most)
      return wrongField('max_output_tokens', 'too_large', { most });
    const model = sessionModel(event);
    const { call } = this.#opened;
    if (model === undefined || model === call.intent.model) return undefined;
    return wrongField('session.model', 'session_keeps_model');
  }

  /** Reserves for what the event makes the upstream bill; the error if that is not possible. */
  async #pay(event: RealtimeEvent): Promise<AppError | undefined> {
    this.#tally.fromClient(event);
    if (event.type !== 'response.create')
      return this.#bill.grown().then(() => undefined, appErrorOf);
    this.#requests += 1;
    const request = { eventId: this.#eventIdOf(event), isOutOfBand: isOutOfBand(event) };
    return this.#bill.ask(request).then(() => undefined, appErrorOf);
  }

  /** Cancels a response that the upstream started by itself and that has no hold or permit. */
  async #begun(responseId: string): Promise<void> {
    const refusal = await this.#bill.begun(responseId).then(() => undefined, appErrorOf);
    if (refusal === undefined) return;
    await send(this.#upstream.socket, cancelOf(responseId));
    if (this.#client !== undefined) await this.#sendError(this.#client, refusal);
  }

  async #readUpstream(heartbeat: Heartbeat): Promise<End> {
    let next: Frame | Closed | 'waited' | undefined = this.#opened.dialled.first;
    for (;;) {
      const frame = next ?? (await this.#upstream.next());
      next = undefined;
      if (frame === 'waited') continue;
      if ('code' in frame) return this.#upstreamEnd(frame);
      heartbeat.received();
      try {
        await this.#fromUpstream(frame);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // The account cannot pay for another response; the current one is charged already.
        this.#stop({ by: 'gateway', code: POLICY, reason: '', error });
      }
    }
  }

  async #fromUpstream({ data, isBinary }: Frame): Promise<void> {
    const event = readEvent(data.toString());
    const consumption = event === undefined ? undefined : realtimeUsageOf(event);
    const shown = event === undefined ? undefined : this.#shown(event);
    if (event?.type === 'error')
      await this.#bill.refused(textIn(objectIn(event.json, 'error'), 'event_id') ?? '');
    let refusal: unknown;
    try {
      if (consumption !== undefined) await this.#note(consumption);
    } catch (error) {
      refusal = error;
    }
    if (this.#client !== undefined)
      await send(this.#client.socket, shown ?? data, shown === undefined && isBinary);
    if (refusal !== undefined) throw refusal;
    if (consumption?.kind === 'done' && !this.#bill.isActive) this.#quiet();
  }

  #quiet(): void {
    this.#onQuiet();
    if (this.#isDraining) this.#goAway();
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

  /** The event as sent to the client, if it differs from the original. */
  #shown(event: RealtimeEvent): string | undefined {
    const { call } = this.#opened;
    if (event.type === 'session.created' || event.type === 'session.updated') {
      this.#tally.session(event);
      this.#transcriber = transcriptionModel(event);
      const model = clientModel(call);
      const isNamed = model !== undefined && sessionModel(event) === call.upstreamModel;
      return isNamed ? withSessionModel(event, model) : undefined;
    }
    return event.type === 'error' ? this.#shownError(event) : this.#withoutKeys(event.text);
  }

  #shownError({ text, json }: RealtimeEvent): string | undefined {
    if (!this.#relay.ctx.options().get('global.hide_upstream_error_enabled'))
      return this.#withoutKeys(text);
    const error = errorInSuccess(json) ?? brokenUpstream(new AppError('upstream_garbled'));
    const shown = shownError(this.#relay, this.#opened.call, error, error.status);
    return errorEvent(this.#eventId, shown, objectIn(json, 'error')?.event_id);
  }

  /** Undefined if the text contains no key. */
  #withoutKeys(text: string): string | undefined {
    const safe = hideKeys(text, this.#opened.call.channel.keys);
    return safe === text ? undefined : safe;
  }

  get #eventId(): string {
    return `evt_${this.#opened.call.incoming.requestId}`;
  }

  #upstreamEnd({ code, reason, problem }: Closed): End {
    if (isSendable(code) && problem === undefined)
      return {
        by: 'upstream',
        code: code === NO_STATUS ? NORMAL : code,
        reason: this.#safe(reason),
      };
    const error = new AppError('upstream_broke_off', {}, problem ? { cause: problem } : {});
    return { by: 'upstream', code: INTERNAL, reason: '', error };
  }

  #safe(reason: string): string {
    const isHidden = this.#relay.ctx.options().get('global.hide_upstream_error_enabled');
    return isHidden ? '' : hideKeys(reason, this.#opened.call.channel.keys);
  }

  async #finish(end: End, reading: Promise<End>): Promise<void> {
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

  async #leave(client: FrameSource, end: End): Promise<void> {
    if (end.error !== undefined) await this.#sendError(client, end.error);
    await closeSocket(client.socket, end.code, end.reason);
  }

  /** Cancels the running response and waits, because the upstream may still report its usage. */
  async #lastUsage(reading: Promise<End>): Promise<void> {
    if (!this.#bill.isActive) return;
    const quiet = new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
    await send(this.#upstream.socket, cancelOf(''));
    const { clientGraceMs } = this.#relay.ctx.config;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, clientGraceMs);
    });
    await Promise.race([quiet, reading, grace]);
    clearTimeout(timer);
  }

  async #sendError(client: FrameSource, thrown: unknown, about?: string): Promise<void> {
    const { incoming } = this.#opened.call;
    const { requestId } = incoming;
    const reader = { requestId, language: callerLanguage(incoming), log: this.#relay.ctx.log };
    const { error } = openAiErrorOf(thrown, reader).body;
    await send(client.socket, errorEvent(this.#eventId, error, about));
  }
}

const NO_OBJECT = wrongField('event', 'not_object');

function appErrorOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

function internal(error: unknown): End {
  return { by: 'gateway', code: INTERNAL, reason: '', error };
}

const NO_STATUS = 1005;

/** Close codes that an endpoint may send (RFC 6455 7.4). */
function isSendable(code: number): boolean {
  const isReserved = code === 1004 || code === 1006 || code === 1015;
  return (code >= 1000 && code <= 1014 && !isReserved) || (code >= 3000 && code <= 4999);
}
