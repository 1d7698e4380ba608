/**
 * The Realtime API: the WebSocket endpoint and its short-lived keys. All checks happen before the
 * upgrade, so that refusals have the usual form.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors/errors.ts';
import type { Incoming } from '../../relay/call/incoming-call.ts';
import type { Ports, Relay } from '../../relay/call/relay-ports.ts';
import { createClientSecret, createSession } from '../../relay/realtime/client-secret.ts';
import { openSession } from '../../relay/realtime/open-session.ts';
import type { RealtimeSession } from '../../relay/realtime/realtime-session.ts';
import type { Upgrades } from '../connections/upgrades.ts';
import type { AddressOf } from '../request/client-address.ts';
import { addScope } from '../route-scope.ts';
import { refusePaths } from './refused-paths.ts';
import { incoming, openScope } from './relay-routes.ts';

export interface RealtimeRouteOptions {
  readonly relay: Relay;
  readonly addressOf: AddressOf;
  readonly upgrades: Upgrades;
}

const PREFIXES = ['/v1/realtime', '/hf/v1/realtime'];
/**
 * Parts of OpenAI's API that are not supported: WebRTC and SIP calls, and sessions without a model
 * of this gateway.
 */
const UNSUPPORTED_PATHS = ['/calls', '/calls/*', '/transcription_sessions', '/translations'];

export async function realtimeRoutes(
  app: FastifyInstance,
  options: RealtimeRouteOptions,
): Promise<void> {
  for (const prefix of PREFIXES)
    await addScope(app, prefix, (scope) => realtimeApi(scope, options));
}

async function realtimeApi(app: FastifyInstance, options: RealtimeRouteOptions): Promise<void> {
  const { relay, upgrades } = options;
  await openScope(app, relay);
  const callOf = (request: FastifyRequest, reply: FastifyReply) =>
    incoming(request, reply, 'realtime', options);
  app.get('/', async (request, reply) => {
    const call = callOf(request, reply);
    if (call.query.intent === 'transcription') throw new AppError('endpoint_not_implemented');
    upgrades.require(request);
    const session = await openSession(relay, call);
    let isTaken = false;
    call.client.onLeave(() => {
      if (!isTaken) run(relay, session, session.abandon(), call);
    });
    upgrades.upgrade(request, reply, (socket) => {
      isTaken = true;
      run(relay, session, session.run(socket), call);
    });
  });
  app.post('/client_secrets', (request, reply) =>
    createClientSecret(relay, callOf(request, reply)),
  );
  app.post('/sessions', (request, reply) => createSession(relay, callOf(request, reply)));
  refusePaths(app, UNSUPPORTED_PATHS, new AppError('endpoint_not_implemented'));
}

/** Runs the session; shutdown waits for it and its settlement. */
function run(
  relay: Ports<'ctx' | 'inFlight' | 'sessions'>,
  session: RealtimeSession,
  work: Promise<void>,
  { requestId: request_id }: Incoming,
): void {
  const ended = relay.inFlight
    .track(work)
    .catch((error: Error) =>
      relay.ctx.log.error({ err: error, request_id }, 'a realtime session could not be ended'),
    );
  relay.sessions.add(session, ended);
}
