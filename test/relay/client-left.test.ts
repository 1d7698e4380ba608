/**
 * Clients that go away (docs/billing.md): before and after the first content, with an upstream that
 * still tells its usage within the grace and with one that does not.
 */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectedAnswer } from '../../src/demo/fake-upstream/usage.ts';
import { aSite, eventually, type OpenAnswer, type Site } from '../site.ts';
import { chunksIn, contentIn } from '../upstream/wire.ts';
import { addRow, aLane, type Lane, MESSAGES, PRICE } from './lane.ts';
import { promptCount, textCount, tokensOfUsage, unitsOf } from './units.ts';

/** The usage is waited for as long as it takes; and hardly at all. */
let patient: Site;
let hasty: Site;

beforeAll(async () => {
  patient = await aSite({ config: { clientGraceMs: 30 } });
  hasty = await aSite({ config: { clientGraceMs: 0.15 } });
});

afterAll(async () => {
  await patient.close();
  await hasty.close();
});

/** Makes a call, waits until it is open at the upstream, and leaves before anything came back. */
async function leaveEarly(lane: Lane, extra: object): Promise<string> {
  const { upstream } = lane.site;
  const gone = new AbortController();
  const pending = lane.start(extra, { signal: gone.signal });
  await upstream.until(({ openCalls }) => openCalls === 1);
  gone.abort();
  await expect(pending).rejects.toThrow(/abort/);
  await noticed(lane.site);
  return String(upstream.requests.at(-1)?.headers['x-client-request-id']);
}

/** Reads a stream until it has brought `content`, and leaves. */
async function leaveAfter(lane: Lane, content: string, extra: object = {}): Promise<OpenAnswer> {
  const answer = await lane.start({ stream: true, ...extra });
  let text = '';
  for await (const bytes of answer.body) {
    text += String(bytes);
    if (text.includes('"role"') && contentIn(chunksIn(text)) === content) break;
  }
  if (!answer.body.destroyed) answer.leave();
  await closed(answer);
  await noticed(lane.site);
  return answer;
}

async function closed({ body }: OpenAnswer): Promise<void> {
  if (!body.closed) await once(body, 'close');
}

/** Two round trips later the server has seen every connection that was closed before. */
async function noticed(site: Site): Promise<void> {
  for (let trip = 0; trip < 2; trip += 1) await site.call({ path: '/health/live', key: '' });
}

async function ending(lane: Lane, requestId: string): Promise<unknown> {
  const [entry] = await lane.site.ledgerOf(requestId);
  return JSON.parse(entry?.detail ?? '{}').ending;
}

async function expectUsageCharged(lane: Lane, requestId: string, plan?: string): Promise<void> {
  const { usage } = expectedAnswer(lane.body(), plan);
  await lane.expectCharged(requestId, {
    units: unitsOf(tokensOfUsage(usage), PRICE),
    source: 'upstream',
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens ?? 0,
  });
  expect(await ending(lane, requestId)).toBe('client_left');
}

async function expectTextCharged(lane: Lane, requestId: string, text: string): Promise<void> {
  const prompt = promptCount(MESSAGES);
  const completion = textCount(text);
  await lane.expectCharged(requestId, {
    units: unitsOf({ input: prompt, output: completion }, PRICE),
    source: 'estimated',
    prompt,
    completion,
  });
  expect(await ending(lane, requestId)).toBe('client_left');
}

const BOTH = [
  { form: 'plain', extra: {} },
  { form: 'stream', extra: { stream: true } },
] as const;

describe.each(BOTH)('the client left before anything came, $form', ({ extra }) => {
  test('usage within the grace is charged', async () => {
    const lane = await aLane(patient);
    lane.script('hold');
    const requestId = await leaveEarly(lane, extra);
    patient.upstream.release();
    await patient.upstream.until(({ servedInFull }) => servedInFull === 1);
    await expectUsageCharged(lane, requestId);
  });

  test('an answer without usage within the grace is not charged', async () => {
    const lane = await aLane(patient);
    lane.script({ hold: 'head', usage: 'none' });
    const requestId = await leaveEarly(lane, extra);
    patient.upstream.release();
    await lane.expectNothing(requestId);
  });

  test('after the grace the upstream is aborted and nothing charged', async () => {
    const lane = await aLane(hasty);
    lane.script('hold');
    const requestId = await leaveEarly(lane, extra);
    await hasty.upstream.until(({ aborted, openCalls }) => aborted === 1 && openCalls === 0);
    await lane.expectNothing(requestId);
  });

  test('an upstream that fails within the grace is not asked again', async () => {
    const lane = await aLane(patient);
    await patient.option('RetryTimes', 3);
    await patient.addChannel({ models: lane.model });
    lane.script({ hold: 'head', refuse: { status: 500 } });
    const requestId = await leaveEarly(lane, extra).finally(() => patient.option('RetryTimes', 0));
    patient.upstream.release();
    await lane.expectNothing(requestId);
    expect(patient.upstream.stats.calls).toBe(1);
  });
});

test('a plain answer under way when the client leaves is charged by its usage', async () => {
  const lane = await aLane(patient);
  lane.script({ parts: 4, hold: 2 });
  const requestId = await leaveEarly(lane, {});
  patient.upstream.release();
  await expectUsageCharged(lane, requestId);
});

describe('the client left a stream before content', () => {
  test('usage within the grace is charged', async () => {
    const lane = await aLane(patient);
    lane.script('hold:1');
    const { requestId } = await leaveAfter(lane, '');
    patient.upstream.release();
    await expectUsageCharged(lane, requestId);
  });

  test('content without usage within the grace is not charged', async () => {
    const lane = await aLane(patient);
    lane.script('hold:1+no-usage');
    const { requestId } = await leaveAfter(lane, '');
    patient.upstream.release();
    await lane.expectNothing(requestId);
  });

  test('after the grace the upstream is aborted and nothing charged', async () => {
    const lane = await aLane(hasty);
    lane.script('hold:1');
    const { requestId } = await leaveAfter(lane, '');
    await hasty.upstream.until(({ aborted }) => aborted === 1);
    await lane.expectNothing(requestId);
  });
});

describe('the client left a stream after content', () => {
  const SOME = 'You said: What do';
  /** A role and four pieces. */
  const HOLD = 'hold:5';

  test('usage within the grace is charged, also what came after the client', async () => {
    const lane = await aLane(patient);
    lane.script(HOLD);
    const { requestId } = await leaveAfter(lane, SOME);
    patient.upstream.release();
    await expectUsageCharged(lane, requestId);
    expect(patient.upstream.stats).toMatchObject({ servedInFull: 1, aborted: 0 });
  });

  test('an answer that ends without usage is charged by all of its text', async () => {
    const lane = await aLane(patient);
    lane.script(`${HOLD}+no-usage`);
    const { requestId } = await leaveAfter(lane, SOME);
    patient.upstream.release();
    await expectTextCharged(lane, requestId, expectedAnswer(lane.body()).texts[0] ?? '');
  });

  test('after the grace the upstream is aborted and what it sent so far is charged', async () => {
    const lane = await aLane(hasty);
    lane.script(HOLD);
    const { requestId } = await leaveAfter(lane, SOME);
    await hasty.upstream.until(({ aborted, openStreams }) => aborted === 1 && openStreams === 0);
    await expectTextCharged(lane, requestId, SOME);
  });

  test('usage that came before the client left is charged when the grace is over', async () => {
    const lane = await aLane(hasty);
    lane.script(`${HOLD}+usage-on-every-chunk`);
    const { requestId } = await leaveAfter(lane, SOME);
    const { usage } = expectedAnswer(lane.body());
    await lane.expectCharged(requestId, {
      units: unitsOf({ input: usage.prompt_tokens, output: 4 }, PRICE),
      source: 'upstream',
      prompt: usage.prompt_tokens,
      completion: 4,
    });
  });

  test('an upstream that breaks within the grace: what it sent so far', async () => {
    const lane = await aLane(patient);
    lane.script({ hold: 5, fault: { ending: 'reset', after: 7 } });
    const { requestId } = await leaveAfter(lane, SOME);
    patient.upstream.release();
    await expectTextCharged(lane, requestId, 'You said: What do 世界');
  });

  test('an upstream that reports an error within the grace: never its words', async () => {
    const lane = await aLane(patient);
    lane.script({ hold: 5, fault: { ending: 'error', after: 5 } });
    const { requestId } = await leaveAfter(lane, SOME);
    patient.upstream.release();
    await expectTextCharged(lane, requestId, SOME);
  });

  test('a price per call is charged', async () => {
    const lane = await aLane(hasty, { price: 'none' });
    await addRow(hasty, 'ModelPrice', lane.model, 0.01);
    lane.script(HOLD);
    const { requestId } = await leaveAfter(lane, SOME);
    expect(await lane.bill()).toEqual(lane.charged(requestId, 5000));
  });

  test('a client that stopped reading long before it leaves: the rest is read for the usage', async () => {
    const lane = await aLane(patient);
    const plan = 'events:40000:200';
    lane.script(plan);
    const answer = await lane.start({ stream: true });
    await once(answer.body, 'readable');
    // Full pipes: the upstream is held back by a client that does not read.
    let before = -1;
    await eventually('the gateway stops reading', async () => {
      const now = patient.upstream.stats.openStreams === 1 ? progress() : -1;
      const isStill = now === before;
      before = now;
      return isStill;
    });
    expect(patient.upstream.stats.servedInFull).toBe(0);
    answer.leave();
    await closed(answer);
    await patient.upstream.until(({ servedInFull }) => servedInFull === 1);
    await expectUsageCharged(lane, answer.requestId, plan);
  });
});

/** Bytes this process has received: nothing moves when it stands still. */
function progress(): number {
  return process.memoryUsage().arrayBuffers;
}
