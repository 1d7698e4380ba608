/** Upgrades a request to a Realtime session, or refuses it as planned. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Departure, deliver, type Gate } from '../answers/deliver-answer.ts';
import { routeOf } from '../paths.ts';
import type { Chooser, Planned } from '../plans/choose-plan.ts';
import { headerText, type Recorder } from '../record.ts';
import type { Counter } from '../stats.ts';
import { RealtimeServer } from './realtime-session.ts';

interface Parts {
  readonly chooser: Chooser;
  readonly counter: Counter;
  readonly gate: Gate;
  readonly recorder: Recorder;
}

/** Larger than the gateway's own limit, so that the gateway's limit is what is tested. */
const webSockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 });

export function takeUpgrade(
  parts: Parts,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const { url = '/', headers } = request;
  const [path = '/', query = ''] = url.split('?', 2);
  const params = new URLSearchParams(query);
  const model = params.get('model') ?? params.get('deployment') ?? '';
  const call = { method: 'GET', path: url, headers, body: '' };
  parts.recorder.add(call);
  const route = { ...routeOf(path), name: model };
  const planned = parts.chooser.choose(call, { route, path, query });
  const isOpen = planned.answer.outcome === 'servedInFull' || isInBand(planned);
  const requestId = headerText(headers, 'x-client-request-id');
  const answer = { ...planned.answer, streamed: isOpen, usage: undefined };
  const departed = parts.counter.began(route.endpoint, answer, requestId);
  if (isOpen)
    webSockets.handleUpgrade(request, socket, head, (opened) =>
      serve(parts, opened, { planned, model, request }, departed),
    );
  else refuse(parts, planned, { request, socket }, departed);
}

/** The upgrade succeeds, and the first event is the error. */
function isInBand({ plan }: Planned): boolean {
  return plan.refuse?.style === 'inband' || typeof plan.fault?.after === 'number';
}

function refuse(
  { gate }: Parts,
  { plan, answer }: Planned,
  { request, socket }: { readonly request: IncomingMessage; readonly socket: Socket },
  departed: (how: Departure) => void,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  socket.on('error', () => socket.destroy());
  deliver({ response, socket, answer, plan, gate }, departed);
}

interface Session {
  readonly planned: Planned;
  readonly model: string;
  readonly request: IncomingMessage;
}

function serve(
  { gate, recorder }: Parts,
  socket: WebSocket,
  { planned, model, request }: Session,
  departed: (how: Departure) => void,
): void {
  let isCut = false;
  socket.once('close', (code) => departed(isCut ? 'cut' : code === 1006 ? 'left' : 'flushed'));
  const { url = '/', headers } = request;
  new RealtimeServer({
    socket,
    model,
    plan: planned.plan,
    gate,
    isBeta: headerText(headers, 'openai-beta') === 'realtime=v1',
    onEvent: (body) => recorder.add({ method: 'WS', path: url, headers, body }),
    onCut: () => {
      isCut = true;
    },
  });
}
