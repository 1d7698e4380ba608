import { describe, expect, test } from 'vitest';
import { contentChunk, FINISH } from '../../dialects/frames.ts';
import { sharedSite } from '../../support/shared-site.ts';
import type { OpenAnswer, Site } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import { chunksIn, contentIn } from '../../upstream/wire.ts';
import {
  bytesOut,
  eventText,
  pour,
  rawUpstream,
  SSE,
  standsStill,
  streamText,
} from '../raw-upstream.ts';
import { addRow, addTenant, MESSAGES, PRICE, type Tenant } from '../tenant.ts';
import { promptCount, textCount, unitsOf } from '../units.ts';

/** One waits for usage as long as needed, the other hardly at all. */
const patient = await sharedSite({ config: { clientGraceMs: 30 } });
const hasty = await sharedSite({ config: { clientGraceMs: 0.15 } });

/** Makes a call, waits until it is open at the upstream, and disconnects before any response. */
async function leaveEarly(tenant: Tenant, extra: object): Promise<void> {
  const { upstream } = tenant.site;
  const gone = new AbortController();
  const pending = tenant.start(extra, { signal: gone.signal });
  await upstream.until(({ openCalls }) => openCalls === 1);
  gone.abort();
  await expect(pending).rejects.toThrow(/abort/);
  await noticed(tenant.site);
}

/** The id of the tenant's only request, which the client never received. */
async function onlyRequest(tenant: Tenant): Promise<string> {
  await tenant.site.settled();
  const [charge] = await tenant.site.chargesOf(tenant.user.id);
  return charge?.key.replace('call:', '') ?? 'never charged';
}

/** Reads a stream up to `content`, then disconnects. */
async function leaveAfter(
  tenant: Tenant,
  content: string,
  extra: object = {},
): Promise<OpenAnswer> {
  const answer = await tenant.start({ stream: true, ...extra });
  let text = '';
  for await (const bytes of answer.body) {
    text += String(bytes);
    if (text.includes('"role"') && contentIn(chunksIn(text)) === content) break;
  }
  await answer.leave();
  await noticed(tenant.site);
  return answer;
}

/** After two round trips the server has noticed all connections closed before. */
async function noticed(site: Site): Promise<void> {
  for (let trip = 0; trip < 2; trip += 1) await site.call({ path: '/health/live', key: '' });
}

async function ending(tenant: Tenant, requestId: string): Promise<unknown> {
  const [entry] = await tenant.site.ledgerOf(requestId);
  return JSON.parse(entry?.detail ?? '{}').ending;
}

async function expectUsageCharged(tenant: Tenant, requestId: string, plan?: string): Promise<void> {
  const { usage } = expectedAnswer(tenant.body(), plan);
  await tenant.expectUsageCharged(requestId, usage);
  expect(await ending(tenant, requestId)).toBe('client_left');
}

async function expectTextCharged(tenant: Tenant, requestId: string, text: string): Promise<void> {
  const prompt = promptCount(MESSAGES);
  const completion = textCount(text);
  await tenant.expectCountCharged(requestId, prompt, completion);
  expect(await ending(tenant, requestId)).toBe('client_left');
}

const BOTH = [
  { form: 'plain', extra: {} },
  { form: 'stream', extra: { stream: true } },
] as const;

describe.each(BOTH)('the client leaves before any content, $form', ({ extra }) => {
  test('usage within the grace period is charged', async () => {
    const tenant = await addTenant(patient);
    tenant.script('hold');
    await leaveEarly(tenant, extra);
    patient.upstream.release();
    await patient.upstream.until(({ servedInFull }) => servedInFull === 1);
    await expectUsageCharged(tenant, await onlyRequest(tenant));
  });

  test('an answer without usage within the grace period is not charged', async () => {
    const tenant = await addTenant(patient);
    tenant.script({ hold: 'head', usage: 'none' });
    await leaveEarly(tenant, extra);
    patient.upstream.release();
    await tenant.expectNothing();
  });

  test('after the grace period the upstream is aborted and nothing is charged', async () => {
    const tenant = await addTenant(hasty);
    tenant.script('hold');
    await leaveEarly(tenant, extra);
    await hasty.upstream.until(({ aborted, openCalls }) => aborted === 1 && openCalls === 0);
    await tenant.expectNothing();
  });

  test('an upstream that fails within the grace period is not retried', async () => {
    const tenant = await addTenant(patient);
    await patient.option('RetryTimes', 3);
    await patient.addChannel({ models: tenant.model });
    tenant.script({ hold: 'head', refuse: { status: 500 } });
    await leaveEarly(tenant, extra).finally(() => patient.option('RetryTimes', 0));
    patient.upstream.release();
    await tenant.expectNothing();
    expect(patient.upstream.stats.calls).toBe(1);
  });
});

test('a whole answer in progress is charged by its usage', async () => {
  const tenant = await addTenant(patient);
  tenant.script({ parts: 4, hold: 2 });
  await leaveEarly(tenant, {});
  patient.upstream.release();
  await expectUsageCharged(tenant, await onlyRequest(tenant));
});

describe('the client leaves a stream before content', () => {
  test('usage within the grace period is charged', async () => {
    const tenant = await addTenant(patient);
    tenant.script('hold:1');
    const { requestId } = await leaveAfter(tenant, '');
    patient.upstream.release();
    await expectUsageCharged(tenant, requestId);
  });

  test('content without usage within the grace period is not charged', async () => {
    const tenant = await addTenant(patient);
    tenant.script('hold:1+no-usage');
    const { requestId } = await leaveAfter(tenant, '');
    patient.upstream.release();
    await tenant.expectNothing(requestId);
  });

  test('after the grace period the upstream is aborted and nothing is charged', async () => {
    const tenant = await addTenant(hasty);
    tenant.script('hold:1');
    const { requestId } = await leaveAfter(tenant, '');
    await hasty.upstream.until(({ aborted }) => aborted === 1);
    await tenant.expectNothing(requestId);
  });
});

describe('the client leaves a stream after content', () => {
  const SOME = 'You said: What do';
  /** A role and four pieces. */
  const HOLD = 'hold:5';

  test('usage within the grace period is charged, including output after the client left', async () => {
    const tenant = await addTenant(patient);
    tenant.script(HOLD);
    const { requestId } = await leaveAfter(tenant, SOME);
    patient.upstream.release();
    await expectUsageCharged(tenant, requestId);
    expect(patient.upstream.stats).toMatchObject({ servedInFull: 1, aborted: 0 });
  });

  test('an answer that ends without usage is charged by all of its text', async () => {
    const tenant = await addTenant(patient);
    tenant.script(`${HOLD}+no-usage`);
    const { requestId } = await leaveAfter(tenant, SOME);
    patient.upstream.release();
    await expectTextCharged(tenant, requestId, expectedAnswer(tenant.body()).texts[0] ?? '');
  });

  test('D33 after the grace period the upstream is aborted and the received output is charged', async () => {
    const tenant = await addTenant(hasty);
    tenant.script(HOLD);
    const { requestId } = await leaveAfter(tenant, SOME);
    await hasty.upstream.until(({ aborted, openStreams }) => aborted === 1 && openStreams === 0);
    await expectTextCharged(tenant, requestId, SOME);
  });

  test('D32 an upstream that bills only sent output is aborted immediately', async () => {
    const tenant = await addTenant(patient, { channel: { type: 43 } });
    tenant.script(HOLD);
    const { requestId } = await leaveAfter(tenant, SOME);
    await patient.upstream.until(({ aborted, openStreams }) => aborted === 1 && openStreams === 0);
    await expectTextCharged(tenant, requestId, SOME);
  });

  test('the upstream is awaited when no content came', async () => {
    const tenant = await addTenant(patient, { channel: { type: 43 } });
    tenant.script('hold:1');
    const { requestId } = await leaveAfter(tenant, '');
    patient.upstream.release();
    await expectUsageCharged(tenant, requestId);
  });

  test('usage received before the client left is charged when the grace period ends', async () => {
    const tenant = await addTenant(hasty);
    tenant.script(`${HOLD}+usage-on-every-chunk`);
    const { requestId } = await leaveAfter(tenant, SOME);
    const { usage } = expectedAnswer(tenant.body());
    await tenant.expectCharged(requestId, {
      units: unitsOf({ input: usage.prompt_tokens, output: 4 }, PRICE),
      source: 'upstream',
      prompt: usage.prompt_tokens,
      completion: 4,
    });
  });

  test('an upstream that breaks within the grace period is charged by the received output', async () => {
    const tenant = await addTenant(patient);
    // Not a reset: on a busy machine it could overtake written data that is still unread.
    tenant.script({ hold: 5, fault: { ending: 'drop', after: 7 } });
    const { requestId } = await leaveAfter(tenant, SOME);
    patient.upstream.release();
    await expectTextCharged(tenant, requestId, 'You said: What do 世界');
  });

  test('an upstream error within the grace period is charged without the error text', async () => {
    const tenant = await addTenant(patient);
    tenant.script({ hold: 5, fault: { ending: 'error', after: 5 } });
    const { requestId } = await leaveAfter(tenant, SOME);
    patient.upstream.release();
    await expectTextCharged(tenant, requestId, SOME);
  });

  test('a price per call is charged', async () => {
    const tenant = await addTenant(hasty, { price: 'none' });
    await addRow(hasty, 'ModelPrice', tenant.model, 0.01);
    tenant.script(HOLD);
    const { requestId } = await leaveAfter(tenant, SOME);
    expect(await tenant.bill()).toEqual(tenant.charged(requestId, 5000));
  });

  test('after a client stops reading and leaves, the rest is read for the usage', async () => {
    const raw = await rawUpstream();
    const tenant = await addTenant(patient, { channel: { base_url: raw.url } });
    raw.answer = async (response) => {
      response.writeHead(200, SSE);
      await pour(response, eventText(contentChunk('x'.repeat(1000))), 16_000);
      response.end(streamText(FINISH, { choices: [], usage: USAGE }, '[DONE]'));
    };
    const answer = await tenant.start({ stream: true });
    const [held] = raw.open;
    if (held === undefined) throw new Error('the upstream was not called');
    await standsStill(() => bytesOut(held));
    expect(held.writableEnded).toBe(false);
    await answer.leave();
    await tenant.expectUsageCharged(answer.requestId, USAGE);
    await raw.close();
  });
});

const USAGE = { prompt_tokens: 40, completion_tokens: 16_000, total_tokens: 16_040 };
