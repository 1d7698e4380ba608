/** OpenAI's Responses API: creates responses and manages those stored by upstreams. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Incoming } from '../../relay/call/incoming-call.ts';
import { countTokens } from '../../relay/endpoints/count-tokens.ts';
import {
  type StoredResponseCall,
  storedCall,
} from '../../relay/endpoints/stored-response-routes.ts';
import { openConnection } from '../../relay/realtime/responses-connection.ts';
import { relayCall } from '../../relay/relay-call.ts';
import type { Upgrades } from '../connections/upgrades.ts';
import { dialectErrorFormatter } from '../response/error-form.ts';
import { sendAnswer } from '../response/send-answer.ts';
import { type DialectRouteOptions, incoming, openScope } from './relay-routes.ts';

export interface ResponsesRouteOptions extends DialectRouteOptions {
  readonly upgrades: Upgrades;
}

/** Relative to the id of a stored response. */
const STORED_CALLS: readonly (readonly [
  StoredResponseCall['method'],
  StoredResponseCall['action'],
])[] = [
  ['GET', undefined],
  ['DELETE', undefined],
  ['POST', 'cancel'],
  ['GET', 'input_items'],
];

export async function responsesApi(
  app: FastifyInstance,
  options: ResponsesRouteOptions,
): Promise<void> {
  const { relay, upgrades } = options;
  await openScope(app, relay, dialectErrorFormatter('responses'));
  const callOf = (request: FastifyRequest, reply: FastifyReply): Incoming => ({
    ...incoming(request, reply, 'chat', options),
    dialect: 'responses',
  });
  app.post('/', async (request, reply) =>
    sendAnswer(reply, await relayCall(relay, callOf(request, reply))),
  );
  app.get('/', async (request, reply) => {
    upgrades.require(request);
    const connection = await openConnection(relay, callOf(request, reply));
    upgrades.upgrade(request, reply, (socket) =>
      relay.sessions.add(connection, relay.inFlight.track(connection.run(socket))),
    );
  });
  app.post('/compact', async (request, reply) =>
    sendAnswer(reply, await relayCall(relay, { ...callOf(request, reply), pathTail: 'compact' })),
  );
  app.post('/input_tokens', async (request, reply) => ({
    object: 'response.input_tokens',
    input_tokens: await countTokens(relay, callOf(request, reply)),
  }));
  for (const [method, action] of STORED_CALLS) {
    const url = action === undefined ? '/:id' : `/:id/${action}`;
    app.route<{ Params: { id: string } }>({
      method,
      url,
      handler: async (request, reply) => {
        const { id } = request.params;
        const storedResponse = { id, method, ...(action === undefined ? {} : { action }) };
        return sendAnswer(reply, await storedCall(relay, callOf(request, reply), storedResponse));
      },
    });
  }
}
