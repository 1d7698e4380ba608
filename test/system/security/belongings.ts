/**
 * A site with two accounts that own one record of each kind and two accounts that try to access
 * them.
 */
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { insertTopUp } from '../../../src/store/tables/top-ups-table.ts';
import { signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type Site, type SiteUser } from '../../support/site.ts';

/** Ids of an account's records, as used by calls. */
export interface Belongings {
  readonly owner: SiteUser;
  readonly tokenId: number;
  readonly tokenKey: string;
  /** Of the token, made by its owner. */
  readonly budgetId: number;
  readonly messageId: number;
  readonly requestId: string;
  /** The log entry id as the owner sees it. */
  readonly logId: number;
  readonly tradeNo: string;
  readonly drawingId: string;
  readonly taskId: string;
}

/** A marker in all records of the owners and nowhere else. */
export const MARK = 'not-for-you';

/** `theirs` are of a user, `peers` of an admin, `roots` of a super admin. */
export async function createSecuritySite() {
  const site = await sharedSite({
    config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
  });
  return {
    site,
    theirs: await belongingsOf(site, await site.addUser({ email: `a@${MARK}.example` })),
    peers: await belongingsOf(site, await site.addUser({ role: 10, email: `b@${MARK}.example` })),
    roots: await belongingsOf(site, await site.addUser({ role: 100, email: `c@${MARK}.example` })),
    user: await signedIn(site, await site.addUser()),
    admin: await signedIn(site, await site.addUser({ role: 10 })),
  };
}

async function belongingsOf(site: Site, owner: SiteUser): Promise<Belongings> {
  const name = `${MARK} ${owner.id}`;
  const { id: tokenId, key: tokenKey } = await site.addToken({ owner, name });
  const content = { title: MARK, content: MARK, user_ids: [owner.id] };
  const { id: messageId } = await site.as(OPERATOR).message.create(content);
  const call = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
  const { requestId } = await site.call({ key: tokenKey, body: call });
  await site.settled();
  const budget = { subject: 'token', subject_id: tokenId, period: 'day' } as const;
  const { id: budgetId } = await site
    .as(owner.actor)
    .budget.create({ ...budget, limit_amount: 1_000_000_000 });
  const [log] = (await site.as(owner.actor).log.listOwn({ request_id: requestId })).items;
  return {
    owner,
    tokenId,
    tokenKey,
    budgetId,
    messageId,
    requestId,
    logId: log?.id ?? 0,
    tradeNo: await anOrder(site, owner),
    ...(await tasksOf(site, owner)),
  };
}

async function anOrder(site: Site, { id }: SiteUser): Promise<string> {
  const trade_no = `${MARK}-${id}`;
  const order = { amount: 1, quota: 500_000, cents: 730, provider: 'epay', method: 'alipay' };
  await writing(site.ctx, ({ db }) =>
    insertTopUp(db, { ...order, user_id: id, trade_no, create_time: 1 }),
  );
  return trade_no;
}

async function tasksOf(site: Site, { id }: SiteUser) {
  const [drawingId, taskId] = [`drawing-${id}`, `task-${id}`];
  // Both have ended, so the job that polls them leaves them alone.
  const ended = { user_id: id, status: 'SUCCESS', submit_time: 1 };
  const drawing = { ...ended, mj_id: drawingId, prompt: MARK };
  await site.ctx.db('midjourneys').insert(drawing);
  const task = { ...ended, task_id: taskId, platform: 'suno' };
  await site.ctx.db('tasks').insert({ ...task, properties: JSON.stringify({ input: MARK }) });
  return { drawingId, taskId };
}
