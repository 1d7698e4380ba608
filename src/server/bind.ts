/**
 * Mounts a table of management calls: input parsed by the call's schema, the service called, the
 * answer put into the envelope. The reply schema writes the JSON, so a field it does not name
 * cannot leave.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { Actor, Call, Calls, Service } from '../api/call.ts';
import { parseInput } from '../api/local.ts';
import type { Context } from '../context.ts';
import { envelopeError } from '../domain/error-shapes.ts';
import { AppError, asAppError } from '../domain/errors.ts';
import { errorText } from '../locales/text.ts';
import { languageOf } from './language.ts';

/** Who asks; throws `not_signed_in` or `permission_denied` when the call's role is not met. */
export type WhoAsks = (request: FastifyRequest, call: Call) => Promise<Actor>;

export function bind<C extends Calls>(
  app: FastifyInstance,
  calls: C,
  service: Service<C, Context>,
  ctx: Context,
  whoAsks: WhoAsks,
): void {
  for (const [name, call] of Object.entries(calls)) {
    const run = service[name];
    if (run === undefined) throw new Error(`no service function for the call ${name}`);
    app.route({
      method: call.method,
      url: call.path,
      schema: { response: { 200: envelopeSchema(call) } },
      handler: async (request) => {
        const actor = await whoAsks(request, call);
        const input = parseInput(call, inputOf(request)) as Parameters<typeof run>[2]; // the row's own schema gave it
        const data = await run(ctx, actor, input);
        return { success: true, message: '', data };
      },
    });
  }
}

/** Fastify writes the answer from this; `anyOf` with the failure form keeps refusals intact. */
function envelopeSchema(call: Call): Record<string, unknown> {
  const data =
    call.reply.def.type === 'void'
      ? {}
      : { data: z.toJSONSchema(call.reply, { io: 'output', unrepresentable: 'any' }) };
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      message: { type: 'string' },
      code: { type: 'string' },
      param: { type: 'string' },
      ...data,
    },
  };
}

function inputOf(request: FastifyRequest): Record<string, unknown> {
  const params = request.params as Record<string, unknown>; // the path's names
  const rest =
    request.method === 'GET' || request.method === 'DELETE' ? request.query : request.body;
  return { ...(typeof rest === 'object' && rest !== null ? rest : {}), ...params };
}

const FAILURES_WITH_STATUS = new Set([401, 405, 413, 415, 429, 500, 503]);

/** Business failures answer 200 with `success: false`, as clients of this family expect. */
export function envelopeErrors(app: FastifyInstance, ctx: Context): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = asAppError(badBody(thrown));
    if (error.status >= 500)
      ctx.log.error(
        { err: error.cause ?? error, requestId: request.id },
        'a management call failed',
      );
    if (error.retryAfterSec !== undefined) reply.header('retry-after', String(error.retryAfterSec));
    const status = FAILURES_WITH_STATUS.has(error.status) ? error.status : 200;
    return reply
      .code(status)
      .send(envelopeError(errorText(error, languageOf(request)), error.code, error.param));
  });
}

function badBody(thrown: unknown): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('body_too_large', { limit: 0 });
  return code.startsWith('FST_ERR_CTP')
    ? new AppError('body_not_json', { position: 0 }, { cause: thrown })
    : thrown;
}
