import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ApiError, type ApiRequest, ask } from '../../web/src/lib/api.ts';
import { nextReadingMs } from '../../web/src/lib/status.ts';

const Thing = z.object({ id: z.number() });
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

function answering(status: number, body: string): RequestListener {
  return (_request, response) =>
    response
      .writeHead(status, { 'x-request-id': 'r-1', 'content-type': 'application/json' })
      .end(body);
}

async function failureOf(origin: string, request: ApiRequest = { path: '/' }): Promise<ApiError> {
  const error = await ask(request, Thing, origin).catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return error;
  throw new Error('expected an ApiError', { cause: error });
}

test('the data of a successful answer is read through its schema', async () => {
  const body = { success: true, message: '', data: { id: 7, more: 'left out' } };
  const origin = await serve(answering(200, JSON.stringify(body)));
  expect(await ask({ path: '/' }, Thing, origin)).toEqual({ id: 7 });
});

test('query and JSON body arrive as they were given, without what is undefined', async () => {
  const seen: string[] = [];
  const origin = await serve((request, response) => {
    request.on('data', (chunk) => seen.push(`${request.headers['content-type']} ${chunk}`));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url}`);
      response.end('{"success":true,"data":{"id":1}}');
    });
  });
  const query = { p: 2, q: 'a&b', group: undefined };
  await ask({ method: 'PUT', path: '/x', query, body: { on: true } }, Thing, origin);
  expect(seen).toEqual(['application/json {"on":true}', 'PUT /x?p=2&q=a%26b']);
});

test.each([
  ['a business refusal', 200, '{"success":false,"message":"no quota"}', 'refused', 'no quota'],
  ['a refusal by status', 401, '{"success":false,"message":"sign in"}', 'refused', 'sign in'],
  ['an error page of a proxy with nobody behind it', 502, '<html>', 'unreachable', ''],
  ['a page that is not the gateway’s', 200, '<html>', 'garbled', ''],
  ['JSON that is not an envelope', 200, '[]', 'garbled', ''],
  ['data of another shape', 200, '{"success":true,"data":{"id":"7"}}', 'garbled', ''],
])('%s is told as what it is', async (_case, status, body, kind, message) => {
  const error = await failureOf(await serve(answering(status, body)));
  expect(error).toMatchObject({ kind, status, message, requestId: 'r-1' });
});

test('a server that is gone is unreachable', async () => {
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
    const asked = ask({ path: '/', signal: stopped.signal }, Thing, origin);
    await expect(asked).rejects.toThrow('left the page');
  },
);

test('a gateway that stays away is asked ever less often, but never given up', () => {
  expect([1, 2, 3, 4, 5, 6, 99].map(nextReadingMs)).toEqual([
    1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000,
  ]);
});
