import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call } from '../../../src/api/call.ts';
import { ApiError, client } from '../../../web/src/lib/api/api.ts';
import { onExpired, storedUser, storeUser } from '../../../web/src/lib/session/session.ts';
import { nextRefetchMs } from '../../../web/src/lib/site/status.ts';

const row = { summary: 'Does a thing' } as const;
const calls = {
  get: call.guest('GET /thing/:id', {
    ...row,
    input: z.object({ id: z.number(), q: z.optional(z.string()) }),
    reply: z.object({ id: z.number() }),
  }),
  put: call.guest('PUT /thing/', {
    ...row,
    query: ['part'],
    input: z.object({ part: z.optional(z.boolean()), on: z.boolean() }),
  }),
  flat: call.guest('GET /flat', {
    ...row,
    wire: 'flat',
    reply: z.object({ more: z.number() }),
  }),
  stream: call.guest('GET /stream', {
    ...row,
    wire: 'stream',
    reply: z.custom<AsyncIterable<string>>(),
  }),
};

const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  open.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function answering(status: number, body: string, headers = {}): RequestListener {
  return (_request, response) =>
    response
      .writeHead(status, { 'x-request-id': 'r-1', 'content-type': 'application/json', ...headers })
      .end(body);
}

async function failureOf(origin: string): Promise<ApiError> {
  const error = await client(calls, origin)
    .get({ id: 1 })
    .catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return error;
  throw new Error('expected an ApiError', { cause: error });
}

test('returns the data of a successful response', async () => {
  const origin = await serve(answering(200, '{"success":true,"message":"","data":{"id":7}}'));
  expect(await client(calls, origin).get({ id: 7 })).toEqual({ id: 7 });
});

test('a flat response keeps the fields beside success', async () => {
  const origin = await serve(answering(200, '{"success":true,"message":"","more":3}'));
  expect(await client(calls, origin).flat({})).toMatchObject({ more: 3 });
});

test('sends path, query and JSON body as declared, without undefined fields', async () => {
  const seen: string[] = [];
  const origin = await serve((request, response) => {
    request.on('data', (chunk) => seen.push(`${request.headers['content-type']} ${chunk}`));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/json').end('{"success":true,"data":null}');
    });
  });
  await client(calls, origin).put({ part: true, on: false }, { turnstile: 'a b' });
  await client(calls, origin).get({ id: 3, q: undefined });
  expect(seen).toEqual([
    'application/json {"on":false}',
    'PUT /thing/?part=true&turnstile=a%20b',
    'GET /thing/3',
  ]);
});

test.each([
  ['a business refusal', 200, '{"success":false,"message":"no quota"}', 'refused', 'no quota'],
  ['a refusal by status', 403, '{"success":false,"message":"not you"}', 'refused', 'not you'],
  ['an error page of a proxy without a server behind it', 502, '<html>', 'unreachable', ''],
  ['a page that is not the gateway’s', 200, '<html>', 'garbled', ''],
  ['JSON that is not an envelope', 200, '[]', 'garbled', ''],
])('%s is reported as what it is', async (_case, status, body, kind, message) => {
  const error = await failureOf(await serve(answering(status, body)));
  expect(error).toMatchObject({ kind, status, message, requestId: 'r-1', method: 'GET' });
});

test('a refusal keeps its code, its field and the seconds to wait', async () => {
  const body = '{"success":false,"message":"slow","code":"rate_limited","param":"name"}';
  const error = await failureOf(await serve(answering(429, body, { 'retry-after': '7' })));
  expect(error).toMatchObject({ code: 'rate_limited', param: 'name', retryAfterSec: 7 });
});

test('reports a stopped server as unreachable', async () => {
  const origin = await serve(answering(200, ''));
  await new Promise((closed) => open.splice(0)[0]?.close(closed));
  expect(await failureOf(origin)).toMatchObject({ kind: 'unreachable', status: 0 });
});

test.each(['before the answer', 'within the answer'])(
  'a request aborted %s throws its own reason and no ApiError',
  async (moment) => {
    const stopped = new AbortController();
    const origin = await serve((_request, response) => {
      if (moment === 'within the answer') response.write('{');
      setImmediate(() => stopped.abort(new Error('left the page')));
    });
    const parsed = client(calls, origin).get({ id: 1 }, { signal: stopped.signal });
    await expect(parsed).rejects.toThrow('left the page');
  },
);

test('reads a stream in pieces, and refuses it like any other call', async () => {
  const origin = await serve((_request, response) => {
    response.setHeader('content-type', 'text/csv');
    response.write('a,');
    response.end('b');
  });
  let text = '';
  for await (const piece of await client(calls, origin).stream({})) text += piece;
  expect(text).toBe('a,b');

  const refused = await serve(
    answering(200, '{"success":false,"message":"no","code":"forbidden"}'),
  );
  await expect(client(calls, refused).stream({})).rejects.toThrow('no');
});

test('many refused sessions forget the user and tell it once', async () => {
  const origin = await serve(answering(401, '{"success":false,"message":"sign in"}'));
  storeUser({ id: 4, username: 'ann', display_name: '', role: 1, status: 1, group: 'default' });
  let notifications = 0;
  const stop = onExpired(() => {
    notifications += 1;
  });
  await Promise.all([failureOf(origin), failureOf(origin), failureOf(origin)]);
  stop();
  expect(notifications).toBe(1);
  expect(storedUser()).toBeUndefined();
});

test('names the signed-in user in every request', async () => {
  const names: unknown[] = [];
  const origin = await serve((request, response) => {
    names.push(request.headers['gateway-user']);
    response.setHeader('content-type', 'application/json').end('{"success":true,"data":{"id":1}}');
  });
  await client(calls, origin).get({ id: 1 });
  storeUser({ id: 4, username: 'ann', display_name: '', role: 1, status: 1, group: 'default' });
  await client(calls, origin).get({ id: 1 });
  expect(names).toEqual([undefined, '4']);
});

test('polls an unreachable gateway ever less often, but never stops', () => {
  expect([1, 2, 3, 4, 5, 6, 99].map(nextRefetchMs)).toEqual([
    1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000,
  ]);
});
