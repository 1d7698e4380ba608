/** Sends the answer of a model call. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Outgoing } from '../../relay/call/incoming-call.ts';

/**
 * A streamed body writes to the response itself: Fastify's stream, pipe and listeners would cost
 * more per event than reading the event.
 */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: Outgoing): FastifyReply {
  reply.code(status).headers(headers);
  if (typeof body === 'string' || !('writeTo' in body)) return reply.send(body);
  reply.hijack();
  reply.raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders); // Fastify sets them as well
  body.writeTo(reply.raw);
  return reply;
}
