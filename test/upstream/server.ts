/**
 * The fake upstream: an HTTP server that implements the protocols of all providers, returns
 * predictable responses and fails on command. It serves the tests, the benchmark and the
 * screenshots.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { deliver, Gate } from './answers/deliver-answer.ts';
import { routeOf } from './paths.ts';
import { Chooser } from './plans/choose-plan.ts';
import type { Plan } from './plans/plan.ts';
import { takeUpgrade } from './realtime/websocket-upgrade.ts';
import { headerText, type Recorded, Recorder } from './record.ts';
import { Counter, type Stats } from './stats.ts';

export interface FakeUpstreamOptions {
  /** 0 or absent selects a free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Accepted keys; if absent, every key is accepted. */
  readonly keys?: readonly string[];
}

export interface FakeUpstream {
  /** `http://host:port`, without a path. */
  readonly url: string;
  readonly stats: Stats;
  /** The last 1000 calls (fewer where bodies are large), oldest first. */
  readonly requests: readonly Recorded[];
  /** Clears counts, calls, scripts and the default plan; calls still open are no longer counted. */
  reset(): void;
  /** The next calls with an accepted key follow these plans, in order. @throws PlanError */
  script(...plans: readonly (Plan | string)[]): void;
  /** For calls without a plan in script, header or model name. @throws PlanError */
  setDefault(plan: Plan | string): void;
  /** Continues every call on hold. */
  release(): void;
  /** Resolves as soon as `isTrue` accepts the counts. */
  until(isTrue: (stats: Stats) => boolean): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

interface State {
  readonly chooser: Chooser;
  readonly counter: Counter;
  readonly gate: Gate;
  readonly recorder: Recorder;
  /** Upgraded sockets, which the server no longer tracks. */
  readonly sockets: Set<Socket>;
}

const BACKLOG = 8192;

/** Starts the server. Rejects if the port is in use. */
export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const state: State = {
    chooser: new Chooser(options.keys),
    counter: new Counter(),
    gate: new Gate(),
    recorder: new Recorder(),
    sockets: new Set(),
  };
  const { chooser, counter, gate, recorder } = state;
  const server = openServer(state);
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, host, options.port ?? 0);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stats: counter.stats,
    requests: recorder.calls,
    reset: () => reset(state),
    script: (...plans) => chooser.script(plans),
    setDefault: (plan) => chooser.setDefault(plan),
    release: () => gate.open(),
    until: (isTrue) => counter.until(isTrue),
    close: () => close(server, state.sockets),
  };
}

function openServer(state: State): Server {
  // Clients decide how long to keep connections; the server must not close a pooled one.
  const server = createServer({ keepAliveTimeout: 300_000, requestTimeout: 0 });
  server.on('request', (request, response) => receive(state, request, response));
  server.on('upgrade', (request, socket: Socket, head) =>
    takeUpgrade(state, request, socket, head),
  );
  server.on('connection', (socket: Socket) => {
    state.sockets.add(socket);
    state.counter.connected(1);
    socket.once('close', () => {
      state.sockets.delete(socket);
      state.counter.connected(-1);
    });
  });
  return server;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

function reset(state: State): void {
  state.counter.reset();
  state.recorder.reset();
  state.chooser.reset();
}

function receive(state: State, request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  // In file uploads each character is one byte.
  const type = headerText(request.headers, 'content-type') ?? 'application/json';
  request.setEncoding(type.startsWith('application/json') ? 'utf8' : 'latin1');
  request.on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const { method = 'GET', url = '/', headers } = request;
    const call = { method, path: url, headers, body };
    serve(state, call, { response, socket: request.socket });
  });
}

interface Connection {
  readonly response: ServerResponse;
  readonly socket: Socket;
}

function serve(state: State, call: Recorded, connection: Connection): void {
  const { chooser, counter, gate, recorder } = state;
  recorder.add(call);
  const [path = '/', query = ''] = call.path.split('?', 2);
  const route = routeOf(path);
  const { plan, answer } = chooser.choose(call, { route, path, query });
  const departed = counter.began(route.endpoint, answer, requestIdOf(call.headers));
  deliver({ ...connection, answer, plan, gate }, departed);
}

function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  return headerText(headers, 'x-request-id') ?? headerText(headers, 'x-client-request-id');
}
