/** The Responses API over a WebSocket, with the official SDK and every kind of upstream. */
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually } from '../../support/site.ts';
import { setPrice } from '../tenant.ts';
import { type ClientSession, openSession, refused, type ServerEvent } from './client-session.ts';

const MODELS = {
  native: { type: 1, model: 'gpt-4o-mini' },
  chat: { type: 1003, model: 'gpt-4o-mini' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3.1-pro-preview' },
} as const;
const NAMES = Object.keys(MODELS);
const TOOL = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
} as const;

const site = await sharedSite({ config: { clientGraceMs: 0.15 } });
for (const [name, { type, model }] of Object.entries(MODELS)) {
  await setPrice(site, name, { ratio: '1', completion: '1' });
  await site.addChannel({ type, models: name, model_mapping: JSON.stringify({ [name]: model }) });
}

const connect = (key = site.token.key): Promise<ClientSession> =>
  openSession(site, { path: '/v1/responses', model: '', key });

/** Sends a request and waits for the end of its response. */
async function respond(session: ClientSession, request: object): Promise<ServerEvent> {
  session.send({ type: 'response.create', ...request });
  return (await session.next('response.completed')).response;
}

async function refusal(session: ClientSession, message: object): Promise<ServerEvent> {
  session.send(message);
  return session.next('error');
}

const textOf = ({ output }: ServerEvent): string => JSON.stringify(output);

/** The last request that the upstream got. */
const sent = (): string => site.upstream.requests.at(-1)?.body ?? '';

describe.each(NAMES)('over %s', (model) => {
  test("the SDK's connection gets the events of a stream, and each response is charged", async () => {
    const client = new OpenAI({ apiKey: site.token.key, baseURL: `${site.url}/v1` });
    const connection = new ResponsesWS(client);
    const before = (await site.chargesOf(site.user.id)).length;
    const types: string[] = [];
    let text = '';
    for (const word of ['plum', 'pear']) {
      const ended = new Promise((resolve, reject) => {
        connection.once('error', reject);
        connection.on('event', (event) => {
          types.push(event.type);
          if (event.type === 'response.output_text.delta') text += event.delta;
          if (event.type === 'response.completed') resolve(event);
        });
      });
      connection.send({ type: 'response.create', model, input: `Say ${word}` });
      await ended;
    }
    connection.close();
    expect(types[0]).toBe('response.created');
    expect(text).toMatch(/plum.*pear/s);
    await site.settled();
    const charges = (await site.chargesOf(site.user.id)).slice(before);
    expect(charges).toHaveLength(2);
  });

  test('a response that is not stored can be continued on its connection only', async () => {
    const session = await connect();
    const first = await respond(session, { model, input: 'Remember the plum', store: false });
    const next = { model, previous_response_id: first.id, store: false };
    const second = await respond(session, { ...next, input: [{ role: 'user', content: 'And?' }] });
    expect(sent()).toMatch(/Remember the plum.*And\?/s);
    expect(sent()).not.toContain('previous_response_id');
    await respond(session, { ...next, previous_response_id: second.id, input: 'Then?' });
    expect(sent()).toMatch(/Remember the plum.*And\?.*Then\?/s);
    const other = await connect();
    const again = { type: 'response.create', ...next, input: 'Hi' };
    const unknown = { status: 400, error: { code: 'previous_response_not_found' } };
    expect(await refusal(other, again)).toMatchObject(unknown);
    expect(await refusal(session, again)).toMatchObject(unknown);
    for (const { socket } of [session, other]) socket.close();
  });

  test('a tool is called and answered', async () => {
    const session = await connect();
    const request = { model, tools: [TOOL], store: false };
    const first = await respond(session, { ...request, input: 'Use get_weather' });
    const call = first.output.find(({ type }: ServerEvent) => type === 'function_call');
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'sunny' };
    const next = { ...request, previous_response_id: first.id, input: [result] };
    expect(textOf(await respond(session, next))).toContain('sunny');
    session.socket.close();
  });

  test('a prepared conversation costs nothing and can be continued', async () => {
    const session = await connect();
    const request = { model, store: false, generate: false, input: 'Remember the fig' };
    const first = await respond(session, request);
    expect(first.output).toEqual([]);
    expect(site.upstream.requests).toHaveLength(0);
    await respond(session, { model, store: false, previous_response_id: first.id, input: 'Now' });
    expect(sent()).toMatch(/Remember the fig.*Now/s);
    session.socket.close();
  });

  test('a client that leaves pays for what it got', async () => {
    const user = await site.addUser();
    const token = await site.addToken({ owner: user });
    site.upstream.script({ hold: 6, text: 'one two three four five six seven eight nine ten' });
    const session = await connect(token.key);
    session.send({ type: 'response.create', model, input: 'Count' });
    await session.next('response.output_text.delta');
    session.socket.terminate();
    await site.settled(user.id);
    expect(await site.chargesOf(user.id)).toHaveLength(1);
    site.upstream.release();
  });
});

describe('the connection', () => {
  test('needs a valid key, and an upgrade', async () => {
    const answer = await refused(site, { path: '/v1/responses', model: '', key: 'sk-wrong' });
    expect(answer.status).toBe(401);
    const plain = await site.call({ method: 'GET', path: '/v1/responses' });
    expect(plain.status).toBe(426);
  });

  test('answers what it cannot do with an error event, and goes on', async () => {
    const session = await connect();
    const create = { type: 'response.create', model: 'chat', input: 'Hi' };
    expect(await refusal(session, { type: 'unheard_of' })).toMatchObject({
      status: 400,
      error: { param: 'type' },
    });
    session.socket.send('no json');
    expect((await session.next('error')).status).toBe(400);
    expect(await refusal(session, { ...create, model: 'unheard-of' })).toMatchObject({
      status: 404,
      error: { code: 'model_not_found' },
    });
    expect(await refusal(session, { ...create, input: 3 })).toMatchObject({
      error: { param: 'input' },
    });
    expect(await refusal(session, { ...create, previous_response_id: 'resp_1' })).toMatchObject({
      status: 400,
      error: { param: 'previous_response_id' },
    });
    const { id, status } = await respond(session, create);
    expect(status).toBe('completed');
    expect((await refusal(session, { type: 'unheard_of' })).status).toBe(400);
    const next = { ...create, previous_response_id: id };
    expect((await respond(session, next)).status).toBe('completed');
    session.send({ ...next, previous_response_id: id });
    expect((await session.next('error')).error.code).toBe('previous_response_not_found');
    session.socket.close();
  });

  test('ends after the running response when the server shuts down', async () => {
    const own = await aSite();
    const options = { path: '/v1/responses', model: '' };
    const [idle, busy] = [await openSession(own, options), await openSession(own, options)];
    own.upstream.script({ hold: 3 });
    busy.send({ type: 'response.create', model: 'gpt-4o-mini', input: 'Hi' });
    await busy.next('response.created');
    const closing = own.close();
    expect((await idle.end()).code).toBe(1001);
    own.upstream.release();
    await busy.next('response.completed');
    expect((await busy.end()).code).toBe(1001);
    await closing;
  });

  test('refuses each response that cannot be paid, or whose key was disabled', async () => {
    const user = await site.addUser({ quota: 0 });
    const token = await site.addToken({ owner: user });
    const session = await connect(token.key);
    const create = { type: 'response.create', model: 'chat', input: 'Hi' };
    expect((await refusal(session, create)).error.code).toBe('insufficient_user_quota');
    await site.as({ kind: 'operator' }).token.remove({ id: token.id });
    await eventually('the key is refused', async () => {
      const { status } = await refusal(session, create);
      return status === 401;
    });
    session.socket.close();
    await site.settled(user.id);
  });
});
