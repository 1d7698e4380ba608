/**
 * With an upstream that uses its whole output limit for each response, no mix of requested,
 * parallel and spontaneous responses of a Realtime session makes an account or a limited token end
 * below zero.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openSession } from '../../relay/realtime/client-session.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually } from '../../support/site.ts';
import { holds } from '../../tools/fuzz/holds.ts';

const MODEL = 'some-realtime-model';
/** The limit of models whose limits are unknown. */
const MOST_OUTPUT = 4_096;
const CREATE = { type: 'response.create' };

/** What the client sends; `commit` makes the upstream start a response by itself. */
const EVENTS = {
  create: CREATE,
  parallel: { ...CREATE, response: { conversation: 'none', max_output_tokens: MOST_OUTPUT } },
  endless: { ...CREATE, response: { max_output_tokens: 'inf' } },
  longer: { type: 'session.update', session: { max_output_tokens: MOST_OUTPUT } },
  tooLong: { ...CREATE, response: { max_output_tokens: 10 * MOST_OUTPUT } },
  say: {
    type: 'conversation.item.create',
    item: { type: 'message', content: [{ type: 'input_text', text: 'word '.repeat(600) }] },
  },
  commit: { type: 'input_audio_buffer.commit' },
  broken: { type: 'unheard_of' },
} as const;
const NAMES = [...(Object.keys(EVENTS) as (keyof typeof EVENTS)[]), 'parallel' as const]; // keys of a constant

function outputOf(holder: { max_output_tokens?: number | 'inf' } | undefined, usual: number) {
  const { max_output_tokens: limit = usual } = holder ?? {};
  return limit === 'inf' ? MOST_OUTPUT : limit;
}

/**
 * Runs one response of the conversation and any number beside it, each for 20 ms, and reports all
 * it may use.
 */
function serve(socket: WebSocket): void {
  const running = new Set<string>();
  let inConversation = '';
  let ids = 0;
  let context = 0;
  let limit = MOST_OUTPUT;
  const say = (event: object) => socket.send(JSON.stringify(event));
  const end = (id: string, status: string, input: number, output: number) => {
    if (!running.delete(id)) return;
    if (id === inConversation) inConversation = '';
    const usage = {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_token_details: { text_tokens: input, audio_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: 0, audio_tokens: output },
    };
    say({ type: 'response.done', response: { id, status, ...(output > 0 && { usage }) } });
  };
  const begin = (output: number, isInConversation = true) => {
    const id = `resp_${ids++}`;
    if (isInConversation) inConversation = id;
    running.add(id);
    say({ type: 'response.created', response: { id } });
    setTimeout(() => end(id, 'completed', context, output), 20);
  };
  socket.on('message', (data) => {
    const event = JSON.parse(String(data));
    const { event_id } = event;
    const refuse = () => say({ type: 'error', error: { type: 'invalid_request_error', event_id } });
    const output = outputOf(event.response, limit);
    if (event.type === 'session.update') {
      limit = outputOf(event.session, limit);
      say({ type: 'session.updated', session: { model: MODEL, max_output_tokens: limit } });
    } else if (event.response?.conversation === 'none') begin(output, false);
    else if (event.type === 'response.create') inConversation === '' ? begin(output) : refuse();
    else if (event.type === 'input_audio_buffer.commit') inConversation === '' && begin(output);
    else if (event.type === 'conversation.item.create') context += 600;
    else if (event.type === 'response.cancel') end(event.response_id, 'cancelled', 0, 0);
    else refuse();
  });
  say({ type: 'session.created', session: { model: MODEL } });
}

describe.each(databases)('realtime sessions on $kind', async ({ kind }) => {
  const upstream = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  upstream.on('connection', serve);
  await once(upstream, 'listening');
  const site = await sharedSite({
    database: kind,
    config: { clientGraceMs: 1_000 },
    options: {
      ModelRatio: { [MODEL]: 0.5 },
      AudioRatio: { [MODEL]: 4 },
      AudioCompletionRatio: { [MODEL]: 2 },
    },
  });
  const { port } = upstream.address() as AddressInfo; // it listens on TCP
  await site.addChannel({ models: MODEL, base_url: `http://127.0.0.1:${port}` });
  afterAll(() => upstream.close());

  let answered = 0;
  let refused = 0;
  const quota = fc.integer({ min: 8_000, max: 150_000 });
  holds(
    'no balance ends below zero',
    fc.asyncProperty(
      fc.array(fc.constantFrom(...NAMES), { minLength: 4, maxLength: 30 }),
      quota,
      fc.option(quota, { nil: undefined }),
      async (names, units, limit) => {
        const user = await site.addUser({ quota: units });
        const limited = limit === undefined ? {} : { remain_quota: limit };
        const token = await site.addToken({ owner: user, ...limited });
        const session = await openSession(site, { model: MODEL, key: token.key });
        const count = (type: string) => session.events.filter((one) => one.type === type).length;
        for (const name of names) session.send(EVENTS[name]);
        session.send({ type: 'unheard_of', event_id: 'last' });
        const isQuiet = () => count('response.created') === count('response.done');
        await eventually(
          'all responses have ended',
          async () => session.ended !== undefined || (count('error') > 0 && isQuiet()),
        );
        session.socket.close();
        answered += count('response.done');
        refused += session.events.filter(
          ({ error }) => error?.code === 'insufficient_user_quota',
        ).length;
        await site.settled(user.id);
        expect((await site.balance(user.id)).quota).toBeGreaterThanOrEqual(0);
        if (limit !== undefined)
          expect((await site.tokenBalance(token.id)).remain_quota).toBeGreaterThanOrEqual(0);
      },
    ),
    { runs: 15 },
  );

  test('some responses were answered and some refused', () => {
    expect([answered, refused].every((number) => number > 0)).toBe(true);
  });
});
