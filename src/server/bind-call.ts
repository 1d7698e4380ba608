/**
 * Mounts API calls as routes: access checks, input parsed by the call's schema, the function, and
 * the response in the declared form. The reply schema serializes the JSON, so fields it does not
 * name cannot leak.
 */
import { Readable } from 'node:stream';
import fastJson from 'fast-json-stringify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import * as z from 'zod/mini';
import type { Call, Visit } from '../api/call.ts';
import { Warnings } from '../api/fields.ts';
import { impactReport, takesImpact } from '../api/impact.ts';
import { parseInput } from '../api/local.ts';
import { type QueryParameters, readQuery } from '../api/read-query.ts';
import type { Context } from '../context.ts';
import { fieldError } from '../domain/errors/error-shapes.ts';
import { AppError } from '../domain/errors/errors.ts';
import { memoizePerObject } from '../domain/memoize-per-object.ts';
import type { HandledCall } from '../handlers.ts';
import { isObject } from '../json/read-json.ts';
import { errorText } from '../locales/text.ts';
import { checkCaptcha } from '../services/sign-in/captcha.ts';
import { legacyItems, legacyList, pageFromZero, sendRows } from './legacy-lists.ts';
import { accessTokenIn, authenticateRequest } from './request/authenticate-request.ts';
import type { AddressOf } from './request/client-address.ts';
import { type CountRequest, requireOwnOrigin } from './request/request-checks.ts';
import { visitOf } from './request/request-info.ts';
import { downloadName } from './response/download-name.ts';
import { BODY_LIMIT } from './response/envelope-errors.ts';

export interface BindParts {
  readonly ctx: Context;
  readonly addressOf: AddressOf;
  readonly countRequest: CountRequest;
}

export function bindCall(app: FastifyInstance, handled: HandledCall, parts: BindParts): void {
  const { call } = handled;
  for (const { method, path } of [call, ...(call.also ?? [])]) {
    const changes = method !== 'GET' || call.changesData === true;
    app.route({
      method,
      url: path,
      // HEAD must not trigger the side effects of GET.
      exposeHeadRoute: !changes,
      schema: { response: { 200: {} } },
      serializerCompiler: () => (answer: unknown) => serializerOf(call)(answer),
      ...(call.isLarge ? { bodyLimit: largeBodyLimit(parts.ctx) } : {}),
      onRequest: (request) => checkAccess(request, call, changes, parts),
      handler: handlerOf(handled, parts),
    });
    if (call.cors) allowAllOrigins(app, method, path);
  }
}

function largeBodyLimit({ config }: Context): number {
  return Math.max(BODY_LIMIT, Math.floor(config.maxBodyMb * 1024 * 1024));
}

/** Runs the cheap checks first, before the body is read. */
async function checkAccess(
  request: FastifyRequest,
  call: Call,
  changes: boolean,
  { ctx, addressOf, countRequest }: BindParts,
): Promise<void> {
  // Without the database the options stay as they were; calls that need it fail on their own.
  await ctx.changes.fresh()?.catch(() => undefined);
  const address = addressOf(request);
  await countRequest('api', address);
  if (call.critical) await countRequest('critical', address);
  // A token in the header is not a cookie: other sites cannot make a browser send it.
  if (changes && accessTokenIn(request) === '' && !call.isCrossSite) requireOwnOrigin(ctx, request);
  const isDemo = ctx.options().get('DemoSiteEnabled');
  if (isDemo && changes && call.role >= ADMIN && !call.isAllowedInDemo)
    throw new AppError('demo_mode');
  if (call.isLarge) await authenticateRequest(ctx, request, call);
}

const ADMIN = 10;

function handlerOf({ call, run }: HandledCall, { ctx, addressOf }: BindParts): RouteHandlerMethod {
  return async (request, reply) => {
    const { actor, via } = await authenticateRequest(ctx, request, call);
    request.accountLanguage = actor.language;
    const visit = visitOf(request, reply, { ctx, addressOf, via });
    if (call.captcha) await checkCaptcha(ctx, queryText(request, 'turnstile'), visit.address);
    requireKnownForm(request, call);
    const list = legacyList(ctx, request, { call, isGuest: via === 'anonymous' });
    const given = inputOf(request, call);
    const input = parsedInput(request, call, list ? pageFromZero(given, list) : given);
    const impacts: AppError[] = [];
    const reporting = { ...visit, ...impactReport(call, input, (impact) => impacts.push(impact)) };
    const read = (page: object) =>
      run(ctx, actor, { ...Object(input), ...page } as never, reporting); // parsed input
    if (list !== undefined)
      return sendRows(reply, await legacyItems(list, read), rowsWriter(list.rows));
    const answer = await run(ctx, actor, input as never, reporting); // parsed input
    if (call.wire === 'stream') nameDownload(reply, downloadName(call.path, Object(input)));
    return send(reply, call, answer, impactWarnings(impacts, visit));
  };
}

/** `/api/user/nonsense` is an unknown path, not a user with a wrong id. */
function parsedInput({ method, url, routeOptions }: FastifyRequest, call: Call, given: object) {
  try {
    return parseInput(call, given);
  } catch (error) {
    const isOfPath = error instanceof AppError && error.param === 'id';
    if (!isOfPath || !routeOptions.url?.endsWith('/:id')) throw error;
    throw new AppError('route_unknown', { method, path: url.split('?')[0] ?? '' });
  }
}

/** Any page can make a browser submit a form, so only calls that declare forms accept one. */
function requireKnownForm({ headers }: FastifyRequest, call: Call): void {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  if (isForm && !call.form) throw new AppError('body_type_unknown');
}

function inputOf(request: FastifyRequest, call: Call) {
  const query = readQuery(call, request.query as QueryParameters); // parsed by Fastify
  const params = request.params as QueryParameters; // likewise
  if (request.method === 'GET' || request.method === 'DELETE') {
    // A password in a URL would end up in the access logs of proxies, so it is accepted only in a
    // body.
    const { password: _, ...readable } = query;
    return { ...bearerField(request, call), ...readable, ...bodyOf(request), ...params };
  }
  const withFileName = Object.fromEntries(
    (call.query ?? []).filter((name) => name in query).map((name) => [name, query[name]]),
  );
  const body = bodyOf(request);
  const wrapped = call.wrapper === undefined ? undefined : Reflect.get(body, call.wrapper);
  return { ...withFileName, ...body, ...(isObject(wrapped) && wrapped), ...params };
}

function bearerField(request: FastifyRequest, { bearer }: Call): object {
  const credential = bearer === undefined ? '' : accessTokenIn(request);
  return bearer === undefined || credential === '' ? {} : { [bearer]: credential };
}

function bodyOf({ body }: FastifyRequest): object {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new AppError('body_not_object');
  return body;
}

function queryText(request: FastifyRequest, name: string): string {
  const value = (request.query as Readonly<Record<string, unknown>>)[name]; // parsed by Fastify
  return typeof value === 'string' ? value : '';
}

/** Beside `data`, because that of these calls may be a number. */
function impactWarnings(impacts: readonly AppError[], { language }: Visit): object {
  if (impacts.length === 0) return {};
  return { warnings: impacts.map((impact) => fieldError(impact, errorText(impact, language))) };
}

function send(
  reply: FastifyReply,
  { wire = 'envelope', contentType }: Call,
  answer: unknown,
  warnings: object,
) {
  switch (wire) {
    case 'envelope':
      return reply.send({ success: true, message: '', data: answer ?? null, ...warnings });
    case 'flat':
      return reply.send({ success: true, message: '', ...Object(answer) });
    case 'bare':
      return reply.send(answer);
    case 'text':
      return withoutSerializer(reply).type('text/plain; charset=utf-8').send(answer);
    case 'redirect':
      return withoutSerializer(reply).redirect(String(answer), 302);
    case 'stream':
      return withoutSerializer(reply)
        .type(contentType ?? 'application/octet-stream')
        .send(Readable.from(answer as AsyncIterable<string>)); // see the reply schema
    default:
      return wire satisfies never;
  }
}

/** Paths that end like a file name are sent as a download. */
function nameDownload(reply: FastifyReply, file: string | undefined): void {
  if (file !== undefined) reply.header('content-disposition', `attachment; filename="${file}"`);
}

/** Sends non-JSON responses unchanged. */
function withoutSerializer(reply: FastifyReply): FastifyReply {
  return reply.serializer((payload: unknown) => payload as string);
}

/** Serializes a call's response. Compiled at first use, since few processes serve every call. */
const serializerOf = memoizePerObject((call: Call) => fastJson(answerSchema(call)));

/** Writes the envelope of a plain array. */
const rowsWriter = memoizePerObject((rows: z.ZodMiniType) =>
  fastJson({ type: 'object', properties: { ...ENVELOPE, data: jsonSchema(rows) } }),
);

const ENVELOPE = { success: { type: 'boolean' }, message: { type: 'string' } } as const;

function answerSchema(call: Call): Record<string, unknown> {
  const { wire = 'envelope' } = call;
  if (wire === 'text' || wire === 'redirect' || wire === 'stream') return {};
  if (wire === 'envelope') {
    const data = { data: isVoid(call) ? { type: 'null' } : jsonSchema(call.reply) };
    const warnings = takesImpact(call) ? { warnings: jsonSchema(Warnings) } : {};
    return { type: 'object', properties: { ...ENVELOPE, ...data, ...warnings } };
  }
  const reply = jsonSchema(call.reply);
  return wire === 'bare'
    ? reply
    : { ...reply, properties: { ...ENVELOPE, ...Object(reply.properties) } };
}

function isVoid({ reply }: Call): boolean {
  return reply.def.type === 'void';
}

function jsonSchema(type: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: 'output',
    unrepresentable: 'any',
  });
  return schema;
}

function allowAllOrigins(app: FastifyInstance, method: string, path: string): void {
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': method,
    // The wildcard covers every header except this one (Fetch standard, CORS-preflight).
    'access-control-allow-headers': 'authorization, *',
  };
  app.options(path, async (_request, reply) => reply.headers(headers).code(204).send());
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.url === path) reply.headers(headers);
  });
}
