/**
 * The table "What a call costs, by outcome" (docs/billing.md), cell by cell, for plain answers and
 * streams: checks the response, the ledger, the log and the balances.
 */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteAnswer } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import type { Plan } from '../../upstream/plans/plan.ts';
import { bodyIn, chunksIn, contentIn, eventsIn } from '../../upstream/wire.ts';
import {
  addRow,
  addTenant,
  MESSAGES,
  NOTHING,
  PRICE,
  setPrice,
  spareChannel,
  type Tenant,
} from '../tenant.ts';
import { promptCount, textCount, tokensOfUsage, unitsOf } from '../units.ts';

const site = await sharedSite({
  upstreams: 2,
  config: { streamIdleTimeoutMs: 1, relayTimeoutMs: 1 },
});

const FORMS = [
  { form: 'plain', extra: {} },
  { form: 'stream', extra: { stream: true } },
  { form: 'stream with usage', extra: { stream: true, stream_options: { include_usage: true } } },
] as const;
const BOTH = FORMS.slice(0, 2);

/** The text the client received, in either form. */
function textOf(answer: SiteAnswer): string {
  if (!String(answer.headers['content-type']).startsWith('text/event-stream'))
    return bodyIn(answer.text).choices[0]?.message?.content ?? '';
  return contentIn(chunksIn(answer.text));
}

function errorCode(answer: SiteAnswer): unknown {
  return bodyIn(answer.text).error?.code;
}

describe.each(FORMS)('answered calls, $form', ({ extra }) => {
  test('are charged the usage that the upstream reports', async () => {
    const tenant = await addTenant(site);
    const answer = await tenant.call(extra);
    const { usage, texts } = expectedAnswer(tenant.body(extra));
    expect(answer.status).toBe(200);
    expect(textOf(answer)).toBe(texts[0]);
    await tenant.expectUsageCharged(answer.requestId, usage);
  });

  test.each(['no-usage', 'usage-null'])(
    "without usage (%s) are charged the gateway's own count",
    async (plan) => {
      const tenant = await addTenant(site);
      tenant.script(plan);
      const answer = await tenant.call(extra);
      const prompt = promptCount(MESSAGES);
      const completion = textCount(textOf(answer));
      expect(completion).toBeGreaterThan(5);
      await tenant.expectCountCharged(answer.requestId, prompt, completion);
    },
  );

  test('with an empty answer at the output limit cost nothing and are logged', async () => {
    const tenant = await addTenant(site);
    tenant.script({ text: '', usage: 'none', finish: 'content_filter' });
    const answer = await tenant.call(extra);
    expect(answer.status).toBe(200);
    const { spent, held } = NOTHING;
    expect(await tenant.bill()).toMatchObject({ spent, held });
    expect(await site.logOf(answer.requestId)).toMatchObject({
      quota: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
    });
  });

  test('with an empty answer and usage are charged by the usage', async () => {
    const tenant = await addTenant(site);
    tenant.script({ text: '' });
    const answer = await tenant.call(extra);
    const { usage } = expectedAnswer(tenant.body(extra), { text: '' });
    await tenant.expectCharged(answer.requestId, {
      units: unitsOf(tokensOfUsage(usage), PRICE),
      source: 'upstream',
      prompt: usage.prompt_tokens,
      completion: 0,
    });
  });

  test('price cached and cache-write tokens separately', async () => {
    const tenant = await addTenant(site, { suffix: '-cached' });
    const answer = await tenant.call(extra);
    const { usage } = expectedAnswer(tenant.body(extra));
    expect(usage.prompt_tokens_details?.cached_tokens).toBeGreaterThan(5);
    const tokens = tokensOfUsage(usage);
    await tenant.expectCharged(answer.requestId, {
      units: unitsOf(tokens, PRICE),
      source: 'upstream',
      // Log entries with cache writes leave out cached tokens (docs/logs.md).
      prompt: (tokens.written ?? 0) > 0 ? tokens.input : usage.prompt_tokens,
      completion: usage.completion_tokens ?? 0,
    });
  });
});

describe.each(BOTH)('prices, $form', ({ extra }) => {
  test("multiply the charge by the ratio of the token's group", async () => {
    await site.option('UserUsableGroups', { default: 'Default', fine: 'Fine' });
    await addRow(site, 'GroupRatio', 'fine', 0.37);
    const tenant = await addTenant(site, { token: { group: 'fine' }, channel: { group: 'fine' } });
    const answer = await tenant.call(extra);
    const { usage } = expectedAnswer(tenant.body(extra));
    await tenant.expectUsageCharged(answer.requestId, usage, {
      price: { ...PRICE, group: '0.37' },
    });
  });

  test('charge at least one unit for a call that is not free', async () => {
    const tenant = await addTenant(site, { price: { ratio: '0.001', completion: '1' } });
    const answer = await tenant.call(extra);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 1));
  });

  test('per call are charged once, whatever the tokens, and for an empty answer too', async () => {
    const tenant = await addTenant(site, { price: 'none' });
    await addRow(site, 'ModelPrice', tenant.model, 0.0123);
    const answer = await tenant.call(extra);
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 6150));
    tenant.script({ text: '' });
    await tenant.call(extra);
    expect((await tenant.bill()).spent).toEqual({ user: 12300, token: 12300, channel: 12300 });
  });

  test('of zero need no balance and charge nothing', async () => {
    const tenant = await addTenant(site, { price: { ratio: '0', completion: '1' }, quota: 0 });
    const answer = await tenant.call(extra);
    expect(answer.status).toBe(200);
    expect((await tenant.bill()).spent).toEqual(NOTHING.spent);
    expect(await site.logOf(answer.requestId)).toMatchObject({
      quota: 0,
      usage_source: 'upstream',
    });
  });

  test('are required: a model without a price is refused before the call', async () => {
    const tenant = await addTenant(site, { price: 'none' });
    const answer = await tenant.call(extra);
    expect([answer.status, errorCode(answer)]).toEqual([400, 'model_price_error']);
    expect(site.upstream.stats.calls).toBe(0);
    await tenant.expectNothing(answer.requestId);
  });

  test('fall back to the fallback price when one is missing', async () => {
    const tenant = await addTenant(site, { price: 'none' });
    await site.option('fallback_input_ratio', 2.5);
    await site.option('fallback_completion_ratio', 3);
    await site.option('fallback_pricing_enabled', true);
    const answer = await tenant
      .call(extra)
      .finally(() => site.option('fallback_pricing_enabled', false));
    const { usage } = expectedAnswer(tenant.body(extra));
    await tenant.expectUsageCharged(answer.requestId, usage, {
      price: { ratio: '2.5', completion: '3' },
    });
  });

  test('use the requested name first, then the mapped name', async () => {
    const tenant = await addTenant(site, { price: 'none' });
    const channel = site.as({ kind: 'operator' }).channel;
    await channel.edit({
      id: tenant.channel.id,
      model_mapping: `{"${tenant.model}":"mapped-${tenant.model}"}`,
    });
    await setPrice(site, `mapped-${tenant.model}`, { ratio: '7', completion: '2' });
    const mapped = await tenant.call(extra);
    const { usage } = expectedAnswer(tenant.body(extra));
    const byMapped = unitsOf(tokensOfUsage(usage), { ratio: '7', completion: '2' });
    expect(await tenant.bill()).toEqual(tenant.charged(mapped.requestId, byMapped));
    await setPrice(site, tenant.model, PRICE);
    await tenant.call(extra);
    const byAsked = unitsOf(tokensOfUsage(usage), PRICE);
    expect((await tenant.bill()).spent.user).toBe(byMapped + byAsked);
  });
});

describe.each(BOTH)('calls refused by the gateway cost nothing, $form', ({ extra }) => {
  test('an unknown key', async () => {
    const tenant = await addTenant(site);
    const answer = await tenant.call(extra, { key: 'sk-unknown' });
    expect(answer.status).toBe(401);
    await tenant.expectNothing(answer.requestId);
  });

  test('a user whose balance is too small', async () => {
    const tenant = await addTenant(site, { quota: 3 });
    const answer = await tenant.call(extra);
    expect([answer.status, errorCode(answer)]).toEqual([402, 'insufficient_user_quota']);
    expect(site.upstream.stats.calls).toBe(0);
    await tenant.expectNothing(answer.requestId);
  });

  test('a token whose remaining quota is too small', async () => {
    const tenant = await addTenant(site, { tokenLimit: 3 });
    const answer = await tenant.call(extra);
    expect([answer.status, errorCode(answer)]).toEqual([402, 'pre_consume_token_quota_failed']);
    expect(site.upstream.stats.calls).toBe(0);
    await tenant.expectNothing(answer.requestId);
  });

  test('a call over a rate limit', async () => {
    const tenant = await addTenant(site, {
      token: { rate_limit_enabled: true, rate_limit_count: 1 },
    });
    const first = await tenant.call(extra);
    const second = await tenant.call(extra);
    expect([first.status, second.status]).toEqual([200, 429]);
    expect((await tenant.bill()).charges.map((row) => row.key)).toEqual([
      `call:${first.requestId}`,
    ]);
  });

  test('a sensitive word', async () => {
    const tenant = await addTenant(site);
    await site.option('SensitiveWords', 'have in common');
    const answer = await tenant.call(extra).finally(() => site.option('SensitiveWords', ''));
    expect([answer.status, errorCode(answer)]).toEqual([400, 'sensitive_words_detected']);
    expect(site.upstream.stats.calls).toBe(0);
    await tenant.expectNothing(answer.requestId);
  });

  test.each([
    ['broken JSON', { rawBody: '{"model": "x"' }],
    ['no messages', { body: { model: 'x' } }],
    ['an unknown model', { body: { model: 'no-such-model', messages: MESSAGES } }],
  ])('a bad request: %s', async (_what, call) => {
    const tenant = await addTenant(site);
    const answer = await tenant.call(extra, call);
    expect([400, 404]).toContain(answer.status);
    expect(site.upstream.stats.calls).toBe(0);
    await tenant.expectNothing(answer.requestId);
  });
});

describe.each(BOTH)('calls without any content cost nothing, $form', ({ extra }) => {
  test.each<[string, Plan | string, number]>([
    ['a server error', 'status:500', 500],
    ['a refused key', 'invalid-key', 401],
    ['a refused request', 'context-length', 400],
    ['too many requests', 'rate-limit-ms:1', 429],
    ['an error with status 200', 'ok-with-error-body', 500],
    ['an error after the headers', 'early-error', 500],
    ['a page of a proxy', 'html-error', 502],
    ['a reset before the headers', 'reset-before-headers', 502],
    ['silence', 'hang-headers', 504],
    ['headers, then a reset', { hold: undefined, fault: { ending: 'reset', after: 0 } }, 502],
    ['headers, then the end', { fault: { ending: 'end', after: 0 } }, 502],
    ['headers, then silence', { fault: { ending: 'hang', after: 0 } }, 504],
    ['headers, then nonsense', { fault: { ending: 'garbage', after: 0 } }, 502],
    ['an empty object with status 200', 'empty-object', 502],
    ['a web page with status 200', 'html-answer', 502],
    ['an error in plain words with status 200', 'error-words', 502],
    ['an answer without content and usage', 'empty-answer', 502],
    ['an error of another vendor with status 200', 'error-style:minimax:200', 429],
  ])('%s: the answer of another channel is the only charge', async (_what, plan, status) => {
    const alone = await addTenant(site);
    alone.script(plan);
    const refused = await alone.call(extra);
    const { error } = bodyIn(refused.text);
    expect([refused.status, typeof error?.message]).toEqual([status, 'string']);
    await alone.expectNothing(refused.requestId);

    if (status === 400) return; // another channel would refuse the request too
    await site.option('RetryTimes', 1);
    const tenant = await addTenant(site);
    const spare = await spareChannel(tenant);
    tenant.script(plan);
    const answer = await tenant.call(extra).finally(() => site.option('RetryTimes', 0));
    const { usage, texts } = expectedAnswer(tenant.body(extra));
    expect([answer.status, textOf(answer)]).toEqual([200, texts[0]]);
    await tenant.expectUsageCharged(answer.requestId, usage, { channelId: spare.id });
    expect(await site.channelUsed(spare.id)).toBe(unitsOf(tokensOfUsage(usage), PRICE));
  });
});

const BREAKS = ['reset', 'drop', 'end', 'error', 'garbage', 'truncate', 'hang'] as const;

/** The frames of a broken stream: chunks, one error, the end mark. */
function brokenStream(answer: SiteAnswer) {
  const events = eventsIn(answer.text);
  expect(events.at(-1)).toBe('[DONE]');
  const error = bodyIn(events.at(-2) ?? '').error;
  expect(error).toMatchObject({ message: expect.any(String), type: expect.any(String) });
  return { error, chunks: events.slice(0, -2).map(bodyIn) };
}

async function expectEstimated(tenant: Tenant, requestId: string, text: string): Promise<void> {
  const prompt = promptCount(MESSAGES);
  const completion = textCount(text);
  expect(completion).toBeGreaterThan(0);
  await tenant.expectCountCharged(requestId, prompt, completion);
}

describe('the upstream breaks during a stream', () => {
  test.each(BREAKS)(
    '%s after content: the prompt and delivered content are charged by estimate',
    async (ending) => {
      const tenant = await addTenant(site);
      tenant.script({ fault: { ending, after: 5 } });
      const answer = await tenant.call({ stream: true });
      expect(answer.status).toBe(200);
      const { chunks, error } = brokenStream(answer);
      const text = contentIn(chunks);
      expect(expectedAnswer(tenant.body()).texts[0]?.startsWith(text)).toBe(true);
      expect(text).not.toContain(String(error?.message));
      await expectEstimated(tenant, answer.requestId, text);
    },
  );

  test.each(BREAKS)('%s after content and usage: the reported usage is charged', async (ending) => {
    const tenant = await addTenant(site);
    tenant.script({ fault: { ending, after: 5 }, usage: 'every-chunk' });
    const answer = await tenant.call({ stream: true });
    brokenStream(answer);
    const { usage } = expectedAnswer(tenant.body());
    await tenant.expectCharged(answer.requestId, {
      // A role, then four pieces of one token each.
      units: unitsOf({ input: usage.prompt_tokens, output: 4 }, PRICE),
      source: 'upstream',
      prompt: usage.prompt_tokens,
      completion: 4,
    });
  });

  test.each(BREAKS)('%s before content: nothing is charged', async (ending) => {
    const tenant = await addTenant(site);
    tenant.script({ fault: { ending, after: 1 } });
    const answer = await tenant.call({ stream: true });
    expect(answer.status).toBe({ error: 500, hang: 504 }[String(ending)] ?? 502);
    await tenant.expectNothing(answer.requestId);
  });

  test('usage before any content does not make a broken stream cost anything', async () => {
    const tenant = await addTenant(site);
    tenant.script({ fault: { ending: 'reset', after: 1 }, usage: 'every-chunk' });
    const answer = await tenant.call({ stream: true });
    expect(answer.status).toBe(502);
    await tenant.expectNothing(answer.requestId);
  });

  test('a price per call is charged only if content was sent', async () => {
    const tenant = await addTenant(site, { price: 'none' });
    await addRow(site, 'ModelPrice', tenant.model, 0.002);
    tenant.script(
      { fault: { ending: 'reset', after: 1 } },
      { fault: { ending: 'reset', after: 4 } },
    );
    await tenant.call({ stream: true });
    expect(await tenant.bill()).toEqual(NOTHING);
    const answer = await tenant.call({ stream: true });
    expect(await tenant.bill()).toEqual(tenant.charged(answer.requestId, 1000));
  });
});

describe('the upstream breaks during a non-streamed answer', () => {
  test.each(['reset', 'drop', 'end', 'garbage', 'hang'] as const)(
    '%s half-way: nothing is charged',
    async (ending) => {
      const tenant = await addTenant(site);
      tenant.script({ fault: { ending, after: 'half' } });
      const answer = await tenant.call();
      expect(answer.status).toBe(ending === 'hang' ? 504 : 502);
      await tenant.expectNothing(answer.requestId);
    },
  );
});
