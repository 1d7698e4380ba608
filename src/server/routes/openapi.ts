/**
 * Generates the OpenAPI 3.1 description of the management API (spec.openapis.org/oas/v3.1.1) from
 * the calls' definitions.
 */
import * as z from 'zod/mini';
import type { Call, Method } from '../../api/call.ts';
import { Warnings } from '../../api/fields.ts';
import { takesImpact } from '../../api/impact.ts';
import { roleWord } from '../../domain/roles.ts';
import type { HandledCall } from '../../handlers.ts';

type Json = Record<string, unknown>;

interface RouteVariant {
  readonly method: Method;
  readonly path: string;
}

export function openApi(handled: readonly HandledCall[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const one of handled) {
    [one.call, ...(one.call.also ?? [])].forEach((way, index) => {
      const path = pathTemplate(way.path);
      paths[path] = { ...paths[path], [way.method.toLowerCase()]: operation(one, way, index) };
    });
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'AI Model Gateway: management API',
      version,
      description:
        'Every call returns `{success, message, data}`. A refusal has `success: false`, a `code` and, if one field caused it, the name of that field in `param`. A slash at the end of a path has no effect.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(handled.map(({ noun }) => noun))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: { Refusal: REFUSAL } },
  };
}

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'gateway_session',
    description: 'Set at sign-in. Writes must come from the same site.',
  },
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The access token of a user, with or without `Bearer `.',
  },
};

const REFUSAL = {
  type: 'object',
  required: ['success', 'message', 'code'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string', description: 'For a person, in the language of Accept-Language.' },
    code: { type: 'string', description: 'For a program; does not change.' },
    param: { type: 'string', description: 'The field to mend, as a dotted path.' },
    params: { type: 'object', description: 'What the message names, by name.' },
  },
};

function operation({ noun, name, call }: HandledCall, way: RouteVariant, index: number): Json {
  const facts = [
    `Role: ${roleWord(call.role)}.`,
    call.critical ? 'Critical rate-limit class.' : '',
    call.captcha ? 'Asks for a captcha where the site does.' : '',
    call.sessionOnly ? 'Needs a signed-in browser.' : '',
  ];
  return {
    operationId: `${noun}_${name}${index === 0 ? '' : `_${way.method.toLowerCase()}${index}`}`,
    tags: [noun],
    summary: call.summary,
    description: facts.filter((fact) => fact !== '').join(' '),
    security: call.role === 0 ? [] : security(call),
    ...inputOf(call, way),
    responses: responses(call),
  };
}

function security(call: Call): Json[] {
  return call.sessionOnly ? [{ session: [] }] : [{ session: [] }, { accessToken: [] }];
}

function inputOf(call: Call, way: RouteVariant): Json {
  const { properties = {}, required = [] } = schemaOf(call.input, 'input');
  const inPath = [...way.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const isQuery = way.method === 'GET' || way.method === 'DELETE';
  const parameters: Json[] = [];
  const body: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const location = inPath.includes(name)
      ? 'path'
      : isQuery || call.query?.includes(name)
        ? 'query'
        : 'body';
    if (location === 'body') body[name] = schema;
    else
      parameters.push({
        name,
        in: location,
        required: location === 'path' || (required.includes(name) && name !== call.bearer),
        schema,
      });
  }
  if (call.captcha)
    parameters.push({
      name: 'turnstile',
      in: 'query',
      required: false,
      schema: { type: 'string' },
    });
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(Object.keys(body).length > 0 && { requestBody: requestBody(call, body, required) }),
  };
}

function requestBody(call: Call, properties: Json, required: readonly string[]): Json {
  const needed = required.filter((name) => name in properties);
  const schema = { type: 'object', properties, ...(needed.length > 0 && { required: needed }) };
  const types = ['application/json', ...(call.form ? ['application/x-www-form-urlencoded'] : [])];
  return {
    required: needed.length > 0,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

function responses(call: Call): Json {
  const refusal = {
    'application/json': { schema: { $ref: '#/components/schemas/Refusal' } },
  };
  const { wire = 'envelope' } = call;
  if (wire === 'redirect')
    return {
      200: { description: 'A refusal', content: refusal },
      302: { description: 'Where to go on', headers: { Location: { schema: { type: 'string' } } } },
      429: { description: 'Too many requests', content: refusal },
    };
  return {
    200: { description: 'The answer, or a refusal with `success: false`', content: answer(call) },
    ...(call.role > 0 && { 401: { description: 'Not signed in', content: refusal } }),
    429: { description: 'Too many requests; `Retry-After` says when', content: refusal },
  };
}

function answer(call: Call): Json {
  const { wire = 'envelope', contentType = 'application/octet-stream' } = call;
  if (wire === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (wire === 'stream') return { [contentType]: { schema: { type: 'string' } } };
  const reply = schemaOf(call.reply, 'output');
  if (wire === 'bare') return { 'application/json': { schema: reply } };
  const envelope = { success: { type: 'boolean' }, message: { type: 'string' } };
  const own =
    wire === 'flat'
      ? Object(reply.properties)
      : call.reply.def.type === 'void'
        ? { data: { type: 'null' } }
        : { data: reply };
  const warnings = takesImpact(call) ? { warnings: schemaOf(Warnings, 'output') } : {};
  const schema = {
    type: 'object',
    properties: { ...envelope, ...own, ...warnings },
    required: ['success', 'message'],
  };
  return {
    'application/json': { schema: { anyOf: [schema, { $ref: '#/components/schemas/Refusal' }] } },
  };
}

interface ObjectSchema extends Json {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return plain as ObjectSchema;
}

/** Converts `/api/token/:id` to an OpenAPI path template. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
