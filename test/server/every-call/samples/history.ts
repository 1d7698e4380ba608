/** Samples of history calls: logs, metrics, ledger, tasks, jobs. */

import type { ledgerCalls } from '../../../../src/api/billing/ledger.ts';
import type { statementCalls } from '../../../../src/api/billing/statement.ts';
import type { dataCalls } from '../../../../src/api/logs/data.ts';
import type { logCalls } from '../../../../src/api/logs/log.ts';
import type { mjTaskCalls, taskCalls } from '../../../../src/api/logs/task.ts';
import type { jobCalls } from '../../../../src/api/site/job.ts';
import type { nodeCalls } from '../../../../src/api/site/node.ts';
import type { siteApplyCalls } from '../../../../src/api/site/site-apply.ts';
import { DAY_SEC } from '../../../../src/domain/logs/months.ts';
import { signedIn } from '../../../support/api-client.ts';
import { OPERATOR, type Site } from '../../../support/site.ts';
import { By, type SamplesOf } from './sample.ts';

export const log: SamplesOf<typeof logCalls> = {
  list: {},
  listOwn: {},
  stat: { by: 'model' },
  statOwn: { by: 'day' },
  search: { keyword: '2' },
  searchOwn: { keyword: '2' },
  ofToken: async ({ site }) => {
    const { user } = site;
    const owner = { site, user, actor: user.actor, browser: await signedIn(site, user) };
    return new By(owner, { key: site.token.key });
  },
  get: ({ requestId }) => ({ request_id: requestId }),
  tail: {},
  detail: async ({ site, requestId }) => ({ id: (await site.logOf(requestId))?.id }),
  // Users see other ids than admins, which hide the number of entries.
  detailOwn: async ({ site, requestId }) => {
    const [line] = await site.as(site.user.actor).log.get({ request_id: requestId });
    return { id: line?.id };
  },
  exportCsv: {},
  exportJsonl: {},
  exportOwnCsv: {},
  exportOwnJsonl: {},
  clear: { before: 1 },
  clearPart: { before: 1 },
};

export const data: SamplesOf<typeof dataCalls> = {
  list: {},
  listOwn: {},
  overview: { step: 'day', time_zone: 'Europe/Berlin', utc_offset: 60 },
  overviewOwn: {},
};

export const ledger: SamplesOf<typeof ledgerCalls> = {
  verify: {},
  list: {},
  explain: ({ requestId }) => ({ request_id: requestId }),
};

export const statement: SamplesOf<typeof statementCalls> = {
  own: { month: '2026-11', time_zone: 'Asia/Kolkata' },
  ownCsv: {},
  ofUser: ({ site }) => ({ id: site.user.id }),
  ofUserCsv: ({ site }) => ({ id: site.user.id, month: '2026-11' }),
};

export const mjTask: SamplesOf<typeof mjTaskCalls> = { list: {}, listOwn: {} };
export const task: SamplesOf<typeof taskCalls> = { list: {}, listOwn: {} };
export const job: SamplesOf<typeof jobCalls> = { list: {}, run: { name: 'cleanup' } };
export const siteApply: SamplesOf<typeof siteApplyCalls> = {
  take: async ({ site }) => {
    await endTurn(site);
    return {};
  },
  renew: ({ site }) => freshTurn(site),
  giveBack: ({ site }) => freshTurn(site),
};

async function freshTurn(site: Site) {
  await endTurn(site);
  return site.as(OPERATOR).siteApply.take({});
}

async function endTurn({ ctx }: Site): Promise<void> {
  await ctx.db('leases').where({ name: 'site-apply' }).update({ expires_at_ms: 0 });
}

export const node: SamplesOf<typeof nodeCalls> = {
  list: {},
  // Not the responding node, because more calls follow.
  drain: async ({ site, fresh }) => {
    const id = fresh('node');
    // Seen for long enough, as dead nodes are removed.
    const seen_at = Math.floor(Date.now() / 1000) + DAY_SEC;
    await site.ctx.db('nodes').insert({ id, host: 'elsewhere', seen_at });
    return { id };
  },
};
