/** OpenAI's Responses: new answers, and those that upstreams keep. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countTokens } from '../relay/count-tokens.ts';
import type { Incoming, Outgoing } from '../relay/incoming.ts';
import { relayCall } from '../relay/relay.ts';
import { type StoredAsk, storedCall } from '../relay/responses/stored.ts';
import { formOf } from './error-form.ts';
import {
  type DialectRouteOptions,
  incoming,
  knowBeforeReading,
  openScope,
} from './relay-routes.ts';

/** Below the id of a kept response. */
const STORED: readonly (readonly [StoredAsk['method'], StoredAsk['action']])[] = [
  ['GET', undefined],
  ['DELETE', undefined],
  ['POST', 'cancel'],
  ['GET', 'input_items'],
];

export async function responsesApi(
  app: FastifyInstance,
  { relay, addressOf }: DialectRouteOptions,
): Promise<void> {
  await openScope(app, relay, formOf('responses'));
  const onRequest = knowBeforeReading(relay);
  const callOf = (request: FastifyRequest, reply: FastifyReply): Incoming => ({
    ...incoming(request, reply, 'chat', addressOf),
    dialect: 'responses',
  });
  app.post('/', { onRequest }, async (request, reply) =>
    send(reply, await relayCall(relay, callOf(request, reply))),
  );
  app.post('/compact', { onRequest }, async (request, reply) =>
    send(reply, await relayCall(relay, { ...callOf(request, reply), pathTail: 'compact' })),
  );
  app.post('/input_tokens', { onRequest }, async (request, reply) => ({
    object: 'response.input_tokens',
    input_tokens: await countTokens(relay, callOf(request, reply)),
  }));
  for (const [method, action] of STORED) {
    const url = action === undefined ? '/:id' : `/:id/${action}`;
    app.route<{ Params: { id: string } }>({
      method,
      url,
      onRequest,
      handler: async (request, reply) => {
        const { id } = request.params;
        const asked = { id, method, ...(action === undefined ? {} : { action }) };
        return send(reply, await storedCall(relay, callOf(request, reply), asked));
      },
    });
  }
}

function send(reply: FastifyReply, { status, headers, body }: Outgoing): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}
