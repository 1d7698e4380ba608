/** Known ways in which usage is lost, doubled or mistaken, each from the wire to the ledger. */
import { expect, test } from 'vitest';
import { inputTokensOf } from '../../../src/domain/logs/claude-facts.ts';
import { parsedObject } from '../../../src/json/parse-json-object.ts';
import { pngOf } from '../../domain/token-count/png.ts';
import { streamed, whole } from '../../relay/raw-upstream.ts';
import { addTiers, type Tenant } from '../../relay/tenant.ts';
import { tokensOfUsage, unitsOf } from '../../relay/units.ts';
import { OPERATOR } from '../../support/site.ts';
import { PNG } from '../sdk/endpoints.ts';
import { CROSSED, createPitfallSite, NAMES, SHORT, wireOfFrames } from './pitfall-site.ts';

const pitfallSite = await createPitfallSite({ config: { clientGraceMs: 0.05 } });

const PRICE = { ratio: '1', completion: '1', cache: '0.1' } as const;

async function logOf(tenant: Tenant, requestId: string) {
  await tenant.bill();
  return pitfallSite.site.logOf(requestId);
}

test('D35 an answer without content and usage costs nothing', async () => {
  for (const [client, upstream] of CROSSED) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    tenant.script('end-stream-early:0');
    const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    await tenant.expectNothing(answer.requestId);
  }
});

test('D36 usage is read for every kind of ending', async () => {
  for (const [client, upstream] of CROSSED) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    for (const plan of ['ok', 'content-filter', 'refusal']) {
      tenant.script(plan);
      const chatRequest = { text: 'one two three four five', stream: true, maxTokens: 3 };
      const answer = await pitfallSite.chat(client, tenant, chatRequest);
      expect(await logOf(tenant, answer.requestId)).toMatchObject({ usage_source: 'upstream' });
    }
  }
});

/** Anthropic's counts: the prompt is the sum of all three. */
const CACHED = {
  input_tokens: 100,
  cache_read_input_tokens: 2000,
  cache_creation_input_tokens: 400,
  cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 0 },
  output_tokens: 300,
};
const CACHED_TOKENS = { input: 100, cached: 2000, written: 400, output: 300 };

test('D37 cache reads and writes are neither counted twice nor as ordinary input', async () => {
  for (const client of NAMES) {
    const tenant = await pitfallSite.rawTenant('anthropic', { price: PRICE });
    pitfallSite.raw.answer = whole({ ...SHORT.anthropic, usage: CACHED });
    const answer = await pitfallSite.chat(client, tenant, { text: 'Hi' });
    const units = unitsOf(CACHED_TOKENS, PRICE);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, units));
    const openAi = tokensOfUsage({
      prompt_tokens: 2500,
      completion_tokens: 300,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 400 },
    });
    expect(openAi).toEqual(CACHED_TOKENS);
    if (client === 'chat')
      expect(tokensOfUsage(JSON.parse(answer.text).usage)).toEqual(CACHED_TOKENS);
  }
});

test('D38 Anthropic’s input tokens are not the whole prompt', async () => {
  const tenant = await pitfallSite.rawTenant('anthropic', { price: PRICE });
  pitfallSite.raw.answer = whole({ ...SHORT.anthropic, usage: CACHED });
  const answer = await pitfallSite.chat('chat', tenant, { text: 'Hi' });
  expect(JSON.parse(answer.text).usage.prompt_tokens).toBe(2500);
  // Entries with cache writes leave cached tokens out of the prompt, as their flag says.
  const log = await logOf(tenant, answer.requestId);
  expect(log?.prompt_tokens).toBe(100);
  expect(log && inputTokensOf(log, parsedObject(log.other))).toBe(2500);
});

test('D39 cache entries of one hour cost more, and a usage that is reported twice is charged once', async () => {
  const hour = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 300 };
  const usage = { input_tokens: 100, cache_creation_input_tokens: 400, cache_creation: hour };
  const frames = [
    { type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { ...usage, output_tokens: 10 },
    },
    { type: 'message_stop' },
  ];
  for (const client of NAMES) {
    const tenant = await pitfallSite.rawTenant('anthropic', { price: PRICE });
    pitfallSite.raw.answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(wireOfFrames('anthropic', ...frames));
    const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream: true });
    // 100 as they are, 100 at 1.25, 300 at 2, 10 of the answer.
    const units = 100 + 125 + 600 + 10;
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, units));
  }
});

test('D40 Gemini’s thoughts are charged, streamed or not', async () => {
  const usageMetadata = {
    promptTokenCount: 100,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 300,
    totalTokenCount: 420,
  };
  const body = { ...SHORT.gemini, usageMetadata };
  for (const client of NAMES) {
    for (const stream of [false, true]) {
      const tenant = await pitfallSite.rawTenant('gemini', { price: PRICE });
      pitfallSite.raw.answer = stream ? streamed(body) : whole(body);
      const answer = await pitfallSite.chat(client, tenant, { text: 'Hi', stream });
      expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 420));
    }
  }
});

test('D43 an image in a tool result is sent as an image and never counted as text', async () => {
  const data = Buffer.from(PNG, 'base64').toString('base64') + 'A'.repeat(400_000);
  const source = { type: 'base64', media_type: 'image/png', data };
  const messages = [
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'see', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'image', source }] }],
    },
  ];
  for (const upstream of NAMES) {
    const tenant = await pitfallSite.fakeTenant(upstream);
    tenant.script('end-stream-early:4');
    const answer = await pitfallSite.chat(
      'anthropic',
      tenant,
      { text: '', stream: true },
      { messages },
    );
    const sent = JSON.parse(pitfallSite.site.upstream.requests.at(-1)?.body ?? '');
    const texts = JSON.stringify(sent).replaceAll(/"(url|data|image_url)":"[^"]*"/g, '');
    expect(texts.length).toBeLessThan(5000);
    const log = await logOf(tenant, answer.requestId);
    expect(log?.prompt_tokens ?? 0).toBeLessThan(5000);
  }
});

test('D42 an image is counted by its size under the rules of its model', async () => {
  const shown = { type: 'image_url', image_url: { url: pngOf(1920, 1080) } };
  const seen: Record<string, number | undefined> = {};
  for (const [upstream, model] of [
    ['chat', 'gpt-4o'],
    ['chat', 'gpt-6-sol'],
    ['anthropic', 'claude-opus-5-5'],
  ] as const) {
    const tenant = await pitfallSite.rawTenant(upstream);
    const { id } = tenant.channel;
    const mapping = JSON.stringify({ [tenant.model]: model });
    await pitfallSite.site.as(OPERATOR).channel.edit({ id, model_mapping: mapping });
    const { usage: _, ...uncounted } = SHORT[upstream];
    pitfallSite.raw.answer = whole(uncounted);
    const counted = async (content: unknown) => {
      const messages = [{ role: 'user', content }];
      const { requestId } = await pitfallSite.chat('chat', tenant, { text: 'Hi' }, { messages });
      return (await logOf(tenant, requestId))?.prompt_tokens ?? 0;
    };
    const text = { type: 'text', text: 'Hi' };
    seen[model] = (await counted([text, shown])) - (await counted([text]));
  }
  expect(seen).toEqual({ 'gpt-4o': 1105, 'gpt-6-sol': 2448, 'claude-opus-5-5': 2691 });
});

test('D44 the service tier in the answer determines the price, not the requested one', async () => {
  const answers = {
    chat: { ...SHORT.chat, service_tier: 'priority' },
    anthropic: {
      ...SHORT.anthropic,
      usage: { ...SHORT.anthropic.usage, service_tier: 'priority' },
    },
  } as const;
  const tokens = tokensOfUsage(SHORT.chat.usage);
  for (const upstream of ['chat', 'anthropic'] as const)
    for (const client of NAMES) {
      const tenant = await pitfallSite.rawTenant(upstream, { price: PRICE, ownPrice: true });
      await addTiers(pitfallSite.site, tenant.model, { flex: 0.5, priority: 3 });
      pitfallSite.raw.answer = whole(answers[upstream]);
      const params = client === 'gemini' ? { serviceTier: 'flex' } : { service_tier: 'flex' };
      const answer = await pitfallSite.chat(client, tenant, { text: 'Hi' }, params);
      const log = await logOf(tenant, answer.requestId);
      expect(log?.quota).toBe(3 * unitsOf(tokens, PRICE));
      expect(JSON.parse(log?.other ?? '')).toMatchObject({
        service_tier: 'priority',
        rate_conditions: [{ tier: 'priority' }],
      });
    }
});

test('a tier without a price is not asked of the upstream, and the log names it', async () => {
  const fields = {
    chat: [{ service_tier: 'priority' }, { service_tier: 'PRIORITY' }],
    responses: [{ service_tier: 'priority' }],
    anthropic: [{ speed: 'fast' }, { service_tier: 'priority' }],
    gemini: [{ serviceTier: 'priority' }, { service_tier: 'flex' }],
  } as const;
  for (const upstream of ['chat', 'anthropic', 'gemini'] as const)
    for (const client of NAMES)
      for (const params of fields[client]) {
        const tenant = await pitfallSite.rawTenant(upstream, { price: PRICE });
        pitfallSite.raw.answer = whole(SHORT[upstream]);
        const answer = await pitfallSite.chat(client, tenant, { text: 'Hi' }, params);
        expect(answer.status, answer.text).toBe(200);
        expect(pitfallSite.raw.requests.at(-1)?.body).not.toMatch(/service_?tier|"speed"/i);
        const log = await logOf(tenant, answer.requestId);
        const [tier] = Object.values(params);
        expect(JSON.parse(log?.other ?? '')).toMatchObject({ service_tier_ignored: tier });
      }
});

test('a tier without a price is not requested of the upstream where bodies pass through', async () => {
  await pitfallSite.site.option('global.pass_through_request_enabled', true);
  for (const upstream of ['chat', 'anthropic'] as const) {
    const tenant = await pitfallSite.rawTenant(upstream, { price: PRICE });
    pitfallSite.raw.answer = whole(SHORT[upstream]);
    const params = { service_tier: 'priority', metadata: { user_id: 'u' } };
    const answer = await pitfallSite.chat(upstream, tenant, { text: 'Hi' }, params);
    expect(answer.status, answer.text).toBe(200);
    const { service_tier, metadata } = JSON.parse(pitfallSite.raw.requests.at(-1)?.body ?? '');
    expect([service_tier, metadata]).toEqual([undefined, params.metadata]);
  }
  await pitfallSite.site.option('global.pass_through_request_enabled', false);
});

test('a tier with a price is asked for, and an ordinary one always', async () => {
  const tenant = await pitfallSite.rawTenant('chat', { price: PRICE, ownPrice: true });
  await addTiers(pitfallSite.site, tenant.model, { flex: 0.5 });
  for (const service_tier of ['flex', 'auto', 'default']) {
    pitfallSite.raw.answer = whole(SHORT.chat);
    const answer = await pitfallSite.chat('chat', tenant, { text: 'Hi' }, { service_tier });
    expect(JSON.parse(pitfallSite.raw.requests.at(-1)?.body ?? '')).toMatchObject({ service_tier });
    const log = await logOf(tenant, answer.requestId);
    expect(JSON.parse(log?.other ?? '')).not.toHaveProperty('service_tier_ignored');
  }
});

test('the tier that a header of Gemini names has its price', async () => {
  const tenant = await pitfallSite.rawTenant('gemini', { price: PRICE, ownPrice: true });
  await addTiers(pitfallSite.site, tenant.model, { priority: 3 });
  const tokens = tokensOfUsage(SHORT.chat.usage);
  for (const [tierHeader, factor] of [
    ['priority', 3],
    ['standard', 1],
  ] as const) {
    pitfallSite.raw.answer = whole(SHORT.gemini, { 'x-gemini-service-tier': tierHeader });
    const params = { serviceTier: 'priority' };
    const answer = await pitfallSite.chat('gemini', tenant, { text: 'Hi' }, params);
    const log = await logOf(tenant, answer.requestId);
    expect(log?.quota).toBe(factor * unitsOf(tokens, PRICE));
  }
});
