import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { verify } from '../../../src/services/billing/ledger-reports.ts';
import { type Databases, openDatabases } from '../../../src/store/connection/database.ts';
import { type LedgerEntryRow, pageOfEntries } from '../../../src/store/ledger/ledger-queries.ts';
import { channelUse, sumLedger } from '../../../src/store/ledger/ledger-sums.ts';
import { logsOfRequest, type StoredLog } from '../../../src/store/logs/log-rows.ts';
import { databases } from '../../support/databases.ts';
import { aSite, OPERATOR, type Site, type SiteToken, type SiteUser } from '../../support/site.ts';
import { expectedUsage } from '../../upstream/content/usage.ts';
import { randomFrom, unitsOf } from './receipts.ts';
import { makeCall, openModels, randomCalls, type Seen } from './traffic.ts';

/** Of the calls; their interleaving is different in every run. */
const SEED = Number(env.LEDGER_SEED ?? 20_261_121);
const CALLERS = 24;
const CALLS_EACH = Number(env.LEDGER_CALLS ?? 8);
/** Covers every answer of a few megabytes. */
const OPENING = 2_000_000_000;

/** Accounts with a large balance run without holds (docs/billing.md, "The hold"): same result. */
const CASES = databases.flatMap(({ kind }) => {
  const strict = { kind, strictHolds: true, holds: 'with a hold for every call' };
  const trusting = { kind, strictHolds: false, holds: 'with holds where they are needed' };
  return kind === 'sqlite' ? [strict, trusting] : [strict];
});

/** The ledger's record of one call. */
interface Receipt {
  readonly entry: LedgerEntryRow;
  readonly log: StoredLog;
}

describe.each(CASES)('random traffic on $kind $holds', ({ kind, strictHolds }) => {
  let site: Site;
  let user: SiteUser;
  let pools: Databases;
  let seen: Seen[];
  let edited: number;
  let receipts: Map<string, Receipt>;
  beforeAll(async () => {
    site = await aSite({
      database: kind,
      // Seconds. Short, because many of the upstream's answers never end.
      config: { strictHolds, streamIdleTimeoutMs: 0.4, relayTimeoutMs: 0.8, clientGraceMs: 0.2 },
      options: { RetryTimes: 1 },
    });
    await openModels(site);
    user = await site.addUser({ quota: OPENING });
    ({ seen, edited } = await makeTraffic(site, user));
    // Cancelled calls are settled asynchronously, at the latest when the server has stopped.
    await site.serving.stop();
    pools = await openDatabases(site.dsn);
    receipts = await receiptsIn(pools);
  });
  afterAll(async () => {
    await pools?.close();
    await site?.close();
  });

  const of = (outcome: Seen['outcome']) => seen.filter((call) => call.outcome === outcome);

  // How many there are of each depends on the speed of the machine: some time out instead.
  it('contains completed, refused, broken and cancelled calls', () => {
    for (const outcome of ['complete', 'refused', 'broken', 'left'] as const)
      expect(of(outcome).length, outcome).toBeGreaterThan(0);
  });

  it('leaves no open hold, and the ledger agrees with all balances', async () => {
    const ctx = { ...site.ctx, db: pools.db, reads: pools.reads };
    expect(await verify(ctx, OPERATOR, {}, terminalVisit())).toMatchObject({
      ok: true,
      checked: { holds: 0 },
      differences: [],
    });
    for (const table of ['users', 'tokens'])
      expect(await pools.reads(table).whereNot({ held: 0 }).select('id')).toEqual([]);
  });

  it('charges every complete answer exactly once, for exactly the reported usage', () => {
    for (const call of of('complete')) {
      const receipt = receipts.get(call.requestId);
      expect(receipt, `${call.model.name} ${call.requestId} was not charged`).toBeDefined();
      if (receipt !== undefined) expectPrice(call, receipt);
    }
  });

  it('charges nothing for a refused call', () => {
    for (const call of of('refused'))
      expect(receipts.has(call.requestId), `${call.model.name}: ${call.text}`).toBe(false);
  });

  it('charges a broken or cancelled call at most once, for exactly the reported usage', () => {
    for (const call of [...of('broken'), ...of('left')]) {
      const receipt = receipts.get(call.requestId);
      if (receipt !== undefined) expectPrice(call, receipt);
    }
  });

  it('charges no other account', () => {
    const known = new Set(seen.map((call) => call.requestId));
    const nameless = [...receipts.keys()].filter((requestId) => !known.has(requestId));
    const leftEarly = of('left').filter((call) => call.requestId === '');
    expect(nameless.length).toBeLessThanOrEqual(leftEarly.length);
  });

  it('matches the usage that the upstream reports for each call', () => {
    let compared = 0;
    for (const call of of('complete')) {
      const log = receipts.get(call.requestId)?.log;
      if (log?.usage_source !== 'upstream') continue;
      const { prompt_tokens, completion_tokens } = log;
      const reported = site.upstream.stats.reportedByRequest.get(call.requestId);
      const expected = { answers: 1, prompt_tokens, completion_tokens };
      expect(reported, call.model.name).toMatchObject(expected);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('changes user, token and channel balances by the same sum', async () => {
    const spent = [...receipts.values()].reduce((sum, { entry }) => sum - entry.user_units, 0);
    expect(await pools.reads('users').where({ id: user.id }).first()).toMatchObject({
      quota: OPENING + edited - spent,
      used_quota: spent,
      request_count: receipts.size,
    });
    const ofTokens = await pools.reads('tokens').sum({ used: 'used_quota' }).first();
    expect(Number(ofTokens?.used)).toBe(spent);
    await sumLedger(pools);
    const ids = await pools.reads('channels').pluck('id');
    const ofChannels = [...(await channelUse(pools.reads, ids)).values()];
    expect(ofChannels.reduce((sum, units) => sum + units, 0)).toBe(spent);
  });
});

/** Runs callers and an administrator concurrently; returns their results and the sum of edits. */
async function makeTraffic(
  site: Site,
  user: SiteUser,
): Promise<{ readonly seen: Seen[]; readonly edited: number }> {
  const unlimited = await site.addToken({ owner: user });
  const limited = await site.addToken({ owner: user, remain_quota: OPENING });
  const seen: Seen[] = [];
  const calls = randomCalls(CALLERS * CALLS_EACH, randomFrom(SEED));
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    const token = index % 2 === 0 ? unlimited : limited;
    for (let call = calls.pop(); call !== undefined; call = calls.pop())
      seen.push(await makeCall(site, token, call));
  });
  let isOver = false;
  const editing = editMeanwhile(site, user, limited, () => isOver);
  await Promise.all(callers).finally(() => {
    isOver = true;
  });
  return { seen, edited: await editing };
}

async function editMeanwhile(
  site: Site,
  user: SiteUser,
  token: SiteToken,
  isOver: () => boolean,
): Promise<number> {
  const api = site.as(OPERATOR);
  let sum = 0;
  for (let turn = 0; !isOver(); turn += 1) {
    const units = turn % 2 === 0 ? 1_000 : -700;
    const changed = await api.user.setQuota({ id: user.id, mode: 'add', units });
    sum += changed.after - changed.before;
    await api.token.edit({ id: token.id, remain_quota: OPENING + turn });
    await api.channel.edit({ id: site.channel.id, weight: turn % 100 });
  }
  return sum;
}

async function receiptsIn({ reads }: Databases): Promise<Map<string, Receipt>> {
  const window = { offset: 0, limit: 1_000_000 };
  const { rows } = await pageOfEntries(reads, { cause: 'charge' }, window);
  const receipts = new Map<string, Receipt>();
  for (const entry of rows) {
    const requestId = entry.key.replace('call:', '');
    const logs = await logsOfRequest(reads, requestId);
    const consumed = logs.filter((row) => row.type === LOG_TYPE.consume);
    const [log] = consumed;
    if (log === undefined || consumed.length > 1)
      throw new Error(`${requestId} was charged once and logged ${consumed.length} times`);
    receipts.set(requestId, { entry, log });
  }
  return receipts;
}

/** The charge matches the usage the upstream reported, or the gateway's own count in the log. */
function expectPrice({ model, body, outcome }: Seen, { entry, log }: Receipt): void {
  const { prompt_tokens, completion_tokens } = log;
  const isReported = log.usage_source === 'upstream';
  const units = unitsOf(
    isReported
      ? expectedUsage({ ...body, model: model.upstream })
      : { prompt_tokens, completion_tokens },
  );
  const what = `${model.name} (${outcome}, ${log.usage_source})`;
  expect(log.quota, what).toBe(units);
  const moved = { user_units: -units, token_units: -units, channel_units: units };
  expect(entry, what).toMatchObject(moved);
}
