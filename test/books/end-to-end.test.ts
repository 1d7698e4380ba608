import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectedUsage } from '../../src/demo/fake-upstream/usage.ts';
import type { LedgerEntryRow } from '../../src/store/ledger-queries.ts';
import type { StoredLog } from '../../src/store/logs.ts';
import { databases } from '../databases.ts';
import { aSite, OPERATOR, type Site, type SiteToken } from '../site.ts';
import { randomFrom, unitsOf } from './receipts.ts';
import { callAtRandom, openModels, type Seen } from './traffic.ts';

const SEED = Number(env.BOOKS_SEED ?? Date.now() % 1_000_000);
const CALLERS = 24;
const CALLS_EACH = Number(env.BOOKS_CALLS ?? 12);

/** What the books say of one call. */
interface Receipt {
  readonly entry: LedgerEntryRow;
  readonly log: StoredLog;
}

describe.each(databases)(`random traffic on $kind (BOOKS_SEED=${SEED})`, ({ kind }) => {
  let site: Site;
  let seen: Seen[];
  let edited: number;
  let tokens: SiteToken[];
  const receipts = new Map<string, Receipt>();
  beforeAll(async () => {
    site = await aSite({
      database: kind,
      // Seconds. Short, as a good part of the upstream's answers never end.
      config: { streamIdleTimeoutMs: 0.4, relayTimeoutMs: 0.8, clientGraceMs: 0.2 },
      options: { RetryTimes: 1 },
    });
    await openModels(site);
    tokens = [site.token, await site.addToken({ remain_quota: 3_000_000 })];
    ({ seen, edited } = await makeTraffic(site, tokens));
    await site.settled();
    for (const entry of await site.chargesOf(site.user.id)) {
      const requestId = entry.key.replace('call:', '');
      const log = await site.logOf(requestId);
      if (log === undefined) throw new Error(`${requestId} was charged without a log row`);
      receipts.set(requestId, { entry, log });
    }
  });
  afterAll(() => site?.close());

  const of = (fate: Seen['fate']) => seen.filter((call) => call.fate === fate);

  it('was complete, refused, broken and left often enough to mean something', () => {
    for (const fate of ['complete', 'refused', 'broken', 'left'] as const)
      expect(of(fate).length, fate).toBeGreaterThan(5);
  });

  it('leaves no hold, and books that prove themselves', async () => {
    expect(await site.verify()).toMatchObject({ ok: true, checked: { holds: 0 }, differences: [] });
    expect(await site.balance(site.user.id)).toMatchObject({ held: 0 });
    for (const token of tokens)
      expect(await site.tokenBalance(token.id)).toMatchObject({ held: 0 });
  });

  it('charges every complete answer exactly once, and to the unit what it used', () => {
    for (const call of of('complete')) {
      const receipt = receipts.get(call.requestId);
      expect(receipt, `${call.model.name} ${call.requestId} was not charged`).toBeDefined();
      if (receipt !== undefined) expectPrice(call, receipt);
    }
  });

  it('charges nothing for a refusal', () => {
    for (const call of of('refused'))
      expect(receipts.has(call.requestId), `${call.model.name}: ${call.text}`).toBe(false);
  });

  it('charges a call that broke or was left at most once, never more than its tokens', () => {
    for (const call of [...of('broken'), ...of('left')]) {
      const receipt = receipts.get(call.requestId);
      if (receipt !== undefined) expectPrice(call, receipt);
    }
  });

  it('charges nobody else', () => {
    const known = new Set(seen.map((call) => call.requestId));
    const nameless = [...receipts.keys()].filter((requestId) => !known.has(requestId));
    const leftEarly = of('left').filter((call) => call.requestId === '');
    expect(nameless.length).toBeLessThanOrEqual(leftEarly.length);
  });

  it('agrees with what the upstream itself says it reported for each call', () => {
    let compared = 0;
    for (const call of of('complete')) {
      const log = receipts.get(call.requestId)?.log;
      if (log?.usage_source !== 'upstream') continue;
      const { prompt_tokens, completion_tokens } = log;
      const reported = site.upstream.stats.reportedByRequest.get(call.requestId);
      expect(reported, call.model.name).toMatchObject({
        answers: 1,
        prompt_tokens,
        completion_tokens,
      });
      compared += 1;
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('moved user, tokens and channels by the same sum', async () => {
    const spent = [...receipts.values()].reduce((sum, { entry }) => sum - entry.user_units, 0);
    expect(await site.balance(site.user.id)).toMatchObject({
      quota: 5_000_000 + edited - spent,
      used_quota: spent,
      request_count: receipts.size,
    });
    const used = await Promise.all(tokens.map((token) => site.tokenBalance(token.id)));
    expect(used.reduce((sum, token) => sum + token.used_quota, 0)).toBe(spent);
    const channels = await site.ctx.reads('channels').sum({ used: 'used_quota' }).first();
    expect(Number(channels?.used)).toBe(spent);
  });
});

/** Callers and an administrator at once; answers what the callers saw, and the sum of the edits. */
async function makeTraffic(
  site: Site,
  tokens: readonly SiteToken[],
): Promise<{ seen: Seen[]; edited: number }> {
  const seen: Seen[] = [];
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    const random = randomFrom(SEED * 1_000 + index);
    for (let call = 0; call < CALLS_EACH; call += 1) {
      const token = tokens[index % tokens.length] ?? site.token;
      seen.push(await callAtRandom(site, token, random));
    }
  });
  let isOver = false;
  const editing = editMeanwhile(site, tokens, () => isOver);
  await Promise.all(callers).finally(() => {
    isOver = true;
  });
  return { seen, edited: await editing };
}

async function editMeanwhile(
  site: Site,
  tokens: readonly SiteToken[],
  isOver: () => boolean,
): Promise<number> {
  const api = site.as(OPERATOR);
  let sum = 0;
  for (let turn = 0; !isOver(); turn += 1) {
    const units = turn % 2 === 0 ? 1_000 : -700;
    const changed = await api.user.setQuota({ id: site.user.id, mode: 'add', units });
    sum += changed.after - changed.before;
    const limited = tokens[1];
    if (limited !== undefined)
      await api.token.edit({ id: limited.id, remain_quota: 3_000_000 + turn });
    await api.channel.edit({ id: site.channel.id, weight: turn % 100 });
  }
  return sum;
}

/** One row that charges what the call used: as the upstream reported, or as the log says we counted. */
function expectPrice({ model, body, fate }: Seen, { entry, log }: Receipt): void {
  const counted = { prompt_tokens: log.prompt_tokens, completion_tokens: log.completion_tokens };
  const isReported = log.usage_source === 'upstream';
  const usage = isReported ? expectedUsage({ ...body, model: model.upstream }) : counted;
  const units = unitsOf(usage);
  const what = `${model.name} (${fate}, ${log.usage_source})`;
  expect(log.quota, what).toBe(units);
  expect(entry, what).toMatchObject({
    user_units: -units,
    token_units: -units,
    channel_units: units,
  });
}
