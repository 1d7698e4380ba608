/**
 * The Realtime API: a session over a WebSocket. Each word is sent as a separate event; a session
 * with audio sends it as text and as 50 ms of silence, which is one token.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Gate } from '../answers/deliver-answer.ts';
import { echo, piecesOf, tokensIn } from '../content/text.ts';
import type { Plan } from '../plans/plan.ts';
import {
  ClientEvent,
  type MessageItem,
  type ResponseRequest,
  type SessionFields,
} from './realtime-events.ts';
import { Conversation } from './realtime-usage.ts';

export interface RealtimeOrder {
  readonly socket: WebSocket;
  readonly model: string;
  readonly plan: Plan;
  readonly gate: Gate;
  /** The client requested the event names of the beta version. */
  readonly isBeta: boolean;
  /** Receives every event unchanged. */
  readonly onEvent: (text: string) => void;
  /** Called before the connection is broken as planned. */
  readonly onCut: () => void;
}

const SILENCE = Buffer.alloc(2_400).toString('base64');

export class RealtimeServer {
  readonly #order: RealtimeOrder;
  readonly #conversation = new Conversation();
  #session: SessionFields;
  #lastText = '';
  #heardTokens = 0;
  #ids = 0;
  /** The response in progress; `cancel` ends it early. */
  #running: { cancel: boolean } | undefined;

  constructor(order: RealtimeOrder) {
    this.#order = order;
    this.#session = { type: 'realtime', model: order.model, output_modalities: ['audio'] };
    order.socket.on('message', (data) => this.#take(String(data)));
    order.socket.on('error', () => order.socket.terminate());
    const { refuse } = order.plan;
    if (refuse === undefined) this.#send({ type: 'session.created', session: this.#shown() });
    else this.#refuse(refuse.code ?? 'server_error', refuse.message ?? 'No.');
  }

  #refuse(code: string, message: string): void {
    this.#error({ code, message, param: null });
    this.#order.socket.close(1011);
  }

  #shown() {
    return { object: 'realtime.session', id: 'sess_fake', ...this.#session };
  }

  #take(text: string): void {
    this.#order.onEvent(text);
    const read = ClientEvent.safeParse(parsed(text));
    if (read.success) {
      this.#obey(read.data);
      return;
    }
    const issue = read.error.issues[0];
    const param = issue?.path.join('.') ?? '';
    this.#error({ code: 'invalid_value', message: `Invalid value: '${param}'.`, param });
  }

  #obey(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
        this.#session = { ...this.#session, ...event.session };
        this.#send({ type: 'session.updated', session: this.#shown() });
        return;
      case 'input_audio_buffer.append':
        this.#heardTokens += this.#conversation.hear(event.audio);
        return;
      case 'input_audio_buffer.clear':
        this.#send({ type: 'input_audio_buffer.cleared' });
        return;
      case 'input_audio_buffer.commit':
        this.#commit();
        return;
      case 'conversation.item.create':
        this.#add(event.item);
        return;
      case 'response.create':
        void this.#respond(event.response);
        return;
      case 'response.cancel':
        this.#cancel();
        return;
      default:
        event satisfies never;
    }
  }

  #commit(): void {
    const item_id = this.#id('item');
    this.#send({ type: 'input_audio_buffer.committed', item_id });
    const tokens = this.#heardTokens;
    this.#heardTokens = 0;
    const { transcription, turn_detection } = this.#session.audio?.input ?? {};
    if (transcription !== undefined) this.#transcribe(item_id, tokens);
    if (turn_detection) void this.#respond(undefined);
  }

  #transcribe(item_id: string, tokens: number): void {
    this.#send({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id,
      content_index: 0,
      transcript: 'la la',
      usage: {
        type: 'tokens',
        total_tokens: tokens + 2,
        input_tokens: tokens,
        output_tokens: 2,
        input_token_details: { text_tokens: 0, audio_tokens: tokens },
      },
    });
  }

  #add(item: MessageItem): void {
    for (const part of item.content) {
      if (part.type === 'input_audio') this.#conversation.hear(part.audio);
      else this.#addText(part.text);
    }
    const id = item.id ?? this.#id('item');
    this.#send({ type: 'conversation.item.added', item: { ...item, id, status: 'completed' } });
  }

  #addText(text: string): void {
    this.#lastText = text;
    this.#conversation.addText(text);
  }

  #cancel(): void {
    if (this.#running !== undefined) this.#running.cancel = true;
    else
      this.#error({
        code: 'response_cancel_not_active',
        message: 'Nothing to cancel.',
        param: null,
      });
  }

  async #respond(request: ResponseRequest): Promise<void> {
    const { plan, socket } = this.#order;
    if (plan.replay !== undefined) return plan.replay.forEach((event) => void socket.send(event));
    const id = this.#id('resp');
    const running = { cancel: false };
    this.#running = running;
    this.#send({ type: 'response.created', response: { id, status: 'in_progress', usage: null } });
    const modalities = request?.output_modalities ??
      request?.modalities ??
      this.#session.output_modalities ?? ['text'];
    const hasAudio = modalities.includes('audio');
    const pieces = plan.megabytes
      ? ['x'.repeat(plan.megabytes * 1024 * 1024)]
      : piecesOf(plan.text ?? echo(this.#lastText, 0));
    const limit = limitIn(request) ?? limitIn(this.#session) ?? Number.POSITIVE_INFINITY;
    const counts = { text: 0, audio: 0 };
    for (const [index, piece] of pieces.entries()) {
      if (await this.#isOver(index, running)) break;
      if (counts.text + counts.audio + tokensIn(piece) + Number(hasAudio) > limit) break;
      this.#deliver(id, piece, hasAudio);
      counts.text += tokensIn(piece);
      if (hasAudio) counts.audio += 1;
    }
    if (this.#order.socket.readyState !== WebSocket.OPEN || this.#isBroken) return;
    this.#running = undefined;
    const usage = plan.usage === 'none' ? null : this.#conversation.usage(counts);
    const status = running.cancel ? 'cancelled' : 'completed';
    this.#send({
      type: 'response.done',
      response: { id, object: 'realtime.response', status, usage },
    });
  }

  #isBroken = false;

  /** Waits as planned; true if nothing more is to be sent. */
  async #isOver(index: number, running: { readonly cancel: boolean }): Promise<boolean> {
    const { plan, gate } = this.#order;
    if (plan.chunkDelayMs) await pause(plan.chunkDelayMs);
    if (plan.hold === index) await this.#released(gate, running);
    if (plan.fault?.after === index) this.#break(plan.fault.ending);
    return running.cancel || this.#isBroken || this.#order.socket.readyState !== WebSocket.OPEN;
  }

  /** A hold ends on release or when the response is cancelled. */
  #released(gate: Gate, running: { readonly cancel: boolean }): Promise<void> {
    return new Promise((resolve) => {
      const leave = gate.join(() => done());
      const look = () => running.cancel && done();
      const done = () => {
        leave();
        this.#order.socket.off('message', look);
        resolve();
      };
      this.#order.socket.on('message', look);
      this.#order.socket.once('close', done);
    });
  }

  #break(ending: string): void {
    this.#isBroken = true;
    if (ending === 'hang') return;
    this.#order.onCut();
    if (ending === 'error')
      this.#error({ code: 'server_error', message: 'It broke.', param: null });
    if (ending === 'end' || ending === 'error') this.#order.socket.close(1011, 'broken as planned');
    else this.#order.socket.terminate();
  }

  #deliver(response_id: string, piece: string, hasAudio: boolean): void {
    const output = this.#order.isBeta ? '' : 'output_';
    const position = { response_id, item_id: 'item_out', output_index: 0, content_index: 0 };
    if (!hasAudio) {
      this.#send({ type: `response.${output}text.delta`, ...position, delta: piece });
      return;
    }
    this.#send({ type: `response.${output}audio.delta`, ...position, delta: SILENCE });
    this.#send({ type: `response.${output}audio_transcript.delta`, ...position, delta: piece });
  }

  #error(error: { code: string; message: string; param: string | null }): void {
    this.#send({
      type: 'error',
      error: { type: 'invalid_request_error', ...error, event_id: null },
    });
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${this.#ids}`;
  }

  #send(event: object): void {
    const { socket } = this.#order;
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ event_id: this.#id('event'), ...event }));
  }
}

/** Undefined for none, and for `inf`. */
function limitIn(holder: ResponseRequest): number | undefined {
  const limit = holder?.max_output_tokens ?? holder?.max_response_output_tokens;
  return limit === 'inf' ? undefined : limit;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
