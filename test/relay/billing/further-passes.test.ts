/** Claude's passes outside the counts of its answer: compactions, and an advisor of its own price. */
import { expect, test } from 'vitest';
import { priceDetailOf } from '../../../src/domain/pricing/log-price.ts';
import { rawSite } from '../raw-site.ts';
import { streamed, whole } from '../raw-upstream.ts';
import { addTenant, PRICE, setPrice, type Tenant } from '../tenant.ts';
import { unitsOf } from '../units.ts';

const { site, raw } = await rawSite();

const COMPACTION = { type: 'compaction', input_tokens: 1_800, output_tokens: 35 };
const MESSAGE = { type: 'message', input_tokens: 230, output_tokens: 10 };
const usage = { input_tokens: 230, output_tokens: 10, iterations: [COMPACTION, MESSAGE] };
const SUMMARY = { type: 'compaction', content: 'Summary: a cat is wanted.' };

function claude(content: readonly object[], reported: object, stop_reason = 'end_turn') {
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
    ...{ content, stop_reason, usage: reported },
  };
}

/** The frames of the answer; the last has the whole usage. */
function framesOf(answer: ReturnType<typeof claude>) {
  const { content, stop_reason, usage: reported } = answer;
  const start = { ...answer, content: [], stop_reason: null };
  return streamed(
    {
      type: 'message_start',
      message: { ...start, usage: { input_tokens: 230, output_tokens: 1 } },
    },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage: reported },
    { type: 'message_stop' },
  );
}

function tenantAt(): Promise<Tenant> {
  return addTenant(site, { channel: { type: 14, base_url: raw.url }, suffix: '-claude' });
}

const REQUESTS = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  messages: ['/v1/messages', { messages: [{ role: 'user', content: 'hi' }] }],
  responses: ['/v1/responses', { input: 'hi' }],
} as const;

async function ask(tenant: Tenant, client: keyof typeof REQUESTS, extra: object = {}) {
  const [path, fields] = REQUESTS[client];
  const limit = client === 'responses' ? { max_output_tokens: 50 } : { max_tokens: 50 };
  const options = client === 'chat' ? { stream_options: { include_usage: true } } : {};
  const body = { model: tenant.model, ...fields, ...limit, ...options, ...extra };
  return tenant.call({}, { path, body });
}

const CLIENTS = ['chat', 'messages', 'responses'] as const;
const CASES = CLIENTS.flatMap((client) => [false, true].map((stream) => ({ client, stream })));

test.each(CASES)(
  'a compaction is charged for $client, stream $stream',
  async ({ client, stream }) => {
    const tenant = await tenantAt();
    const answered = claude([SUMMARY, { type: 'text', text: 'ok' }], usage);
    raw.answer = stream ? framesOf(answered) : whole(answered);
    const answer = await ask(tenant, client, { stream });
    expect(answer.status, answer.text).toBe(200);
    const units = unitsOf({ input: 2_030, output: 45 }, PRICE);
    await tenant.expectCharged(answer.requestId, {
      ...{ units, source: 'upstream', prompt: 2_030, completion: 45 },
    });
    const log = await site.logOf(answer.requestId);
    const detail = log && priceDetailOf(log, JSON.parse(log.other), 500_000);
    expect(detail).toMatchObject({ units, isAsCharged: true });
    expect(answer.text).toContain(client === 'messages' ? '"iterations"' : '2030');
  },
);

test.each([false, true])('a compaction alone is an answer, stream %s', async (stream) => {
  const tenant = await tenantAt();
  const counts = { input_tokens: 0, output_tokens: 0, iterations: [COMPACTION] };
  const answered = claude([SUMMARY], counts, 'compaction');
  raw.answer = stream ? framesOf(answered) : whole(answered);
  const answer = await ask(tenant, 'messages', { stream, compaction: { type: 'summarize' } });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).toContain('"stop_reason":"compaction"');
  expect(answer.text).toContain('a cat is wanted');
  expect((await tenant.bill()).spent.user).toBe(unitsOf({ input: 1_800, output: 35 }, PRICE));
});

const DEAR = { ratio: '10', completion: '5' } as const;

test('an advisor is charged at the price of its own model', async () => {
  const tenant = await tenantAt();
  const advisor = `${tenant.model}-advisor`;
  await setPrice(site, advisor, DEAR);
  await site.addChannel({ models: advisor, type: 14, base_url: raw.url });
  const advice = { type: 'advisor_message', model: advisor, input_tokens: 800, output_tokens: 60 };
  raw.answer = whole(
    claude([{ type: 'text', text: 'ok' }], { ...usage, iterations: [MESSAGE, advice] }),
  );
  const tools = [
    { type: 'advisor_20260301', name: 'advisor', model: advisor, max_uses: 1, max_tokens: 100 },
  ];
  const answer = await ask(tenant, 'messages', { tools });
  expect(answer.status, answer.text).toBe(200);
  const exact = 230 * 1.375 + 10 * 1.375 * 3.2 + 800 * 10 + 60 * 50;
  expect((await tenant.bill()).spent.user).toBe(Math.round(exact));
  const log = await site.logOf(answer.requestId);
  const detail = log && priceDetailOf(log, JSON.parse(log.other), 500_000);
  expect(detail).toMatchObject({ units: Math.round(exact), isAsCharged: true });
  // 500 times as many uses cannot be paid.
  const many = tools.map((tool) => ({ ...tool, max_uses: 500 }));
  const refused = await ask(tenant, 'messages', { tools: many });
  expect([402, 403]).toContain(refused.status);
});

test('an advisor that the token may not call, or without a price, is refused', async () => {
  const tenant = await tenantAt();
  const tool = (model: string) => ({ type: 'advisor_20260301', name: 'advisor', model });
  const unknown = await ask(tenant, 'messages', { tools: [tool('claude-of-no-channel')] });
  expect([400, 404, 503], unknown.text).toContain(unknown.status);
  const limited = await site.addToken({
    owner: tenant.user,
    ...{ model_limits_enabled: true, model_limits: tenant.model },
  });
  const [path, fields] = REQUESTS.messages;
  const body = { model: tenant.model, ...fields, max_tokens: 5, tools: [tool('gpt-4o')] };
  const denied = await site.call({ path, key: limited.key, body });
  expect(denied.status, denied.text).toBe(403);
  expect(denied.text).toContain('gpt-4o');
  await tenant.expectNothing();
});
