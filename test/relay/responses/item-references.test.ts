/** References to items of translated answers, as the AI SDK sends them by default. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanUp } from '../../../src/jobs/cleanup.ts';
import { keepAnswer } from '../../../src/services/channels/kept-answers.ts';
import { databases } from '../../support/databases.ts';
import { aSite, type Site } from '../../support/site.ts';
import { setPrice } from '../tenant.ts';

/** The AI SDK refers to items of models that it knows to reason, by these names. */
const MODELS = {
  'gpt-5': { type: 1003, model: 'deepseek-reasoner' },
  'gpt-5-mini': { type: 14, model: 'claude-sonnet-4-5' },
  'gpt-5-nano': { type: 24, model: 'gemini-3.1-pro-preview' },
} as const;
const NAMES = Object.keys(MODELS);
const PRICE = { ratio: '1', completion: '1' };

const THINKING = { openai: { reasoningEffort: 'medium', reasoningSummary: 'auto' } };
const TOOLS = {
  get_weather: tool({
    inputSchema: jsonSchema({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }),
    execute: async () => ({ it: 'is sunny' }),
  }),
};

let site: Site;

async function openSite(database: (typeof databases)[number]['kind']): Promise<void> {
  site = await aSite({ database });
  for (const [name, { type, model }] of Object.entries(MODELS)) {
    await setPrice(site, name, PRICE);
    await site.addChannel({ type, models: name, model_mapping: JSON.stringify({ [name]: model }) });
  }
}

function modelOf(name: string) {
  return createOpenAI({ baseURL: `${site.url}/v1`, apiKey: site.token.key }).responses(name);
}

/** The last request that the upstream got, as text. */
function sent(): string {
  return site.upstream.requests.at(-1)?.body ?? '';
}

function respond(input: unknown, extra: object = {}, key?: string) {
  const body = { model: 'gpt-5-mini', input, ...extra };
  return site.call({ path: '/v1/responses', body, ...(key === undefined ? {} : { key }) });
}

async function aReference(extra: object = {}) {
  const { output } = JSON.parse((await respond('Remember the plum.', extra)).text);
  return { type: 'item_reference', id: output.at(-1).id };
}

const NEXT = { role: 'user', content: 'And now?' };

describe.each(databases)('on $kind', ({ kind }) => {
  beforeAll(() => openSite(kind));
  beforeEach(() => site.upstream.reset());
  afterAll(async () => {
    await site.settled();
    expect((await site.verify()).ok).toBe(true);
    await site.close();
  });

  test('an item of another user, of an answer that is not stored, or too old is unknown', async () => {
    const reference = await aReference();
    const input = [reference, NEXT];
    expect((await respond(input)).status).toBe(200);
    const other = await site.addUser({ username: `other-${kind}` });
    const { key } = await site.addToken({ owner: other });
    const refused = [
      await respond(input, {}, key),
      await respond([await aReference({ store: false }), NEXT]),
    ];
    const later = { ...site.ctx, now: () => Date.now() + 31 * 86_400_000 };
    await cleanUp(later, AbortSignal.timeout(5000));
    refused.push(await respond(input));
    for (const { status, text } of refused) {
      const { error } = JSON.parse(text);
      expect([status, error.param]).toEqual([400, 'input.0']);
      expect(error.message).toMatch(/item_reference.*store: false/);
    }
  });

  test('items are stored encrypted, and are gone with their account', async () => {
    const owner = await site.addUser({ username: `leaves-${kind}` });
    const { key } = await site.addToken({ owner });
    await respond('Remember the plum.', {}, key);
    const rows = () => site.ctx.db('kept_answers').where({ user_id: owner.id }).select('items');
    expect(await rows()).toEqual([{ items: expect.stringMatching(/^v1:[\w+/=]+$/) }]);
    await site.as({ kind: 'operator' }).user.remove({ id: owner.id });
    expect(await rows()).toEqual([]);
  });

  test('the oldest answers of a user give way, by number and by bytes', async () => {
    const { id } = await site.addUser({ username: `many-${kind}` });
    const keep = (requestId: string, text: string, limits: { answers: number; bytes: number }) =>
      keepAnswer(site.ctx, id, requestId, [{ id: 'msg_1_0', text }], limits);
    const kept = async () =>
      (await site.ctx.db('kept_answers').where({ user_id: id }).orderBy('request_id')).map(
        ({ request_id }) => request_id,
      );
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5'])
      await keep(name, 'short', { answers: 4, bytes: 1000 });
    expect(await kept()).toEqual(['a3', 'a4', 'a5']);
    await keep('a6', 'x'.repeat(300), { answers: 4, bytes: 460 });
    expect(await kept()).toEqual(['a6']);
    await keep('a7', 'x'.repeat(5_000_000), { answers: 4, bytes: 10_000_000 });
    expect(await kept()).toEqual(['a6']);
  });

  // No SQL of an engine decides these.
  if (kind !== 'sqlite') return;

  test.each(NAMES)('the AI SDK continues a conversation over %s', async (name) => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'Tell me about plums.' }];
    const call = { model: modelOf(name), maxRetries: 0, providerOptions: THINKING };
    const first = await generateText({ ...call, messages });
    expect(first.reasoningText).not.toBe('');
    messages.push(...first.response.messages, { role: 'user', content: 'And pears?' });
    const stream = streamText({ ...call, messages });
    await stream.consumeStream();
    expect(sent()).toContain(first.text);
    expect(sent()).not.toContain('item_reference');
    messages.push(...(await stream.response).messages, { role: 'user', content: 'And figs?' });
    const third = await generateText({ ...call, messages });
    expect(sent()).toContain(await stream.text);
    expect(third.text).toContain('figs');
  });

  test.each(NAMES)('the AI SDK runs a tool loop with reasoning over %s', async (name) => {
    const { steps, text } = await generateText({
      model: modelOf(name),
      maxRetries: 0,
      providerOptions: THINKING,
      tools: TOOLS,
      stopWhen: stepCountIs(3),
      prompt: 'Use get_weather',
    });
    expect(steps[0]?.reasoningText).not.toBe('');
    expect(text).toContain('sunny');
    expect(sent()).not.toContain('item_reference');
  });
});
