/**
 * Access to records of others: every call that takes an id is tried with an id of another account.
 * A call with a new id fails this test until it is added to one of the two tables.
 */
import { describe, expect, it } from 'vitest';
import { signedIn } from '../../support/api-client.ts';
import { type Belongings, createSecuritySite, MARK } from './belongings.ts';
import { changeCheck } from './tables.ts';
import { fieldsOf, requestTo, roleOf, ways } from './ways.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * `refused` is an error; `nothing` is a response without the owner's data. Neither changes the
 * database.
 */
interface Attempt {
  readonly outcome: 'refused' | 'nothing';
  readonly inputs: (owned: Belongings) => readonly Input[];
}

const refused = (inputs: Attempt['inputs']): Attempt => ({ outcome: 'refused', inputs });
const nothing = (inputs: Attempt['inputs']): Attempt => ({ outcome: 'nothing', inputs });

/** Attempts of accounts with the same role as the owner or a lower one. */
const ATTEMPTS: Readonly<Record<string, Attempt | readonly Attempt[]>> = {
  'user.get': refused(({ owner }) => [{ id: owner.id }]),
  'statement.ofUser': refused(({ owner }) => [{ id: owner.id }]),
  'statement.ofUserCsv': refused(({ owner }) => [{ id: owner.id }]),
  'user.getByName': refused(({ owner }) => [{ username: owner.username }]),
  'user.edit': refused(({ owner }) => [
    { id: owner.id, display_name: 'stolen' },
    { id: owner.id, password: 'new password', quota: 1 },
    { id: owner.id, email: 'mine@evil.example' },
  ]),
  'user.setQuota': refused(({ owner }) => [
    { id: owner.id, mode: 'add', units: -1 },
    { id: owner.id, mode: 'set', units: 0, key: 'once' },
  ]),
  'user.manage': refused(({ owner }) =>
    ['enable', 'disable', 'promote', 'demote', 'delete'].map((action) => ({
      id: owner.id,
      action,
    })),
  ),
  'user.setPassword': refused(({ owner }) => [{ id: owner.id, password: 'new password' }]),
  'user.remove': refused(({ owner }) => [{ id: owner.id }]),
  'token.list': [
    refused(({ owner }) => [{ user: owner.id }, { user: owner.id, everyone: true }]),
    nothing(({ tokenKey }) => [{ token: tokenKey }, { token: tokenKey, everyone: true }]),
  ],
  'token.search': [
    refused(({ owner }) => [{ user: owner.id, keyword: MARK }]),
    nothing(({ tokenKey }) => [{ token: tokenKey, everyone: true, keyword: MARK }]),
  ],
  'token.get': refused(({ tokenId }) => [{ id: tokenId }]),
  'token.create': refused(({ owner }) => [{ name: 'planted', user: owner.id }]),
  'token.ensure': refused(({ owner }) => [{ name: `${MARK} ${owner.id}`, user: owner.id }]),
  'token.edit': refused(({ tokenId }) => [
    { id: tokenId, name: 'stolen' },
    { id: tokenId, remain_quota: 1, unlimited_quota: false },
    { id: tokenId, status: 2, status_only: true },
  ]),
  'token.setStatus': refused(({ tokenId }) => [{ id: tokenId, status: 2 }]),
  'token.remove': refused(({ tokenId }) => [{ id: tokenId }]),
  'token.removeMany': nothing(({ tokenId }) => [{ ids: [tokenId] }, { ids: [tokenId, tokenId] }]),
  'token.setStatusMany': nothing(({ tokenId }) => [{ ids: [tokenId], status: 2 }]),
  'token.reveal': refused(({ tokenId }) => [{ id: tokenId }]),
  'token.key': refused(({ tokenId }) => [{ id: tokenId }]),
  'token.keys': nothing(({ tokenId }) => [{ ids: [tokenId] }]),
  'token.revealMany': nothing(({ tokenId }) => [{ ids: [tokenId] }]),
  'budget.list': nothing(budgetsOfToken),
  'budget.listOwn': nothing(budgetsOfToken),
  'budget.get': refused(({ budgetId }) => [{ id: budgetId }]),
  'budget.windows': refused(({ budgetId }) => [{ id: budgetId }]),
  'budget.create': refused(({ owner, tokenId }) => [
    { subject: 'token', subject_id: tokenId, limit_amount: 1, period: 'day' },
    { subject: 'user', subject_id: owner.id, limit_amount: 1, period: 'day' },
  ]),
  'budget.edit': refused(({ budgetId }) => [
    { id: budgetId, limit_amount: 1 },
    { id: budgetId, status: 2 },
  ]),
  'budget.raise': refused(({ budgetId }) => [{ id: budgetId, amount: 1_000_000 }]),
  'budget.remove': refused(({ budgetId }) => [{ id: budgetId }]),
  'user.topUp': refused(({ owner }) => [{ user_id: owner.id, quota: 1 }]),
  'wallet.payOrder': refused(({ tradeNo }) => [{ trade_no: tradeNo }]),
  'wallet.cancelOrder': refused(({ tradeNo }) => [{ trade_no: tradeNo }]),
  'wallet.orders': nothing(({ tradeNo }) => [{ keyword: tradeNo }]),
  'message.read': refused(({ messageId }) => [{ id: messageId }]),
  'message.markRead': refused(({ messageId }) => [{ id: messageId }]),
  'log.get': refused(({ requestId }) => [{ request_id: requestId }]),
  'ledger.explain': refused(({ requestId }) => [{ request_id: requestId }]),
  'log.ofToken': refused(({ tokenKey }) => [{ key: tokenKey }]),
  'log.detailOwn': refused(({ logId }) => [{ id: logId }]),
  'log.listOwn': nothing(({ requestId, owner, tokenId }) => [
    { request_id: requestId },
    { token_id: tokenId },
    { token_name: `${MARK} ${owner.id}` },
  ]),
  'log.statOwn': nothing(({ requestId }) => [{ request_id: requestId, by: 'token' }]),
  'log.exportOwnCsv': nothing(({ requestId }) => [{ request_id: requestId }, {}]),
  'log.exportOwnJsonl': nothing(({ requestId }) => [{ request_id: requestId }, {}]),
  'mjTask.listOwn': nothing(({ drawingId }) => [{ mj_id: drawingId }]),
  'task.listOwn': nothing(({ taskId }) => [{ task_id: taskId }]),
};

function budgetsOfToken({ tokenId }: Belongings): readonly Input[] {
  return [{ subject: 'token', subject_id: String(tokenId) }, { subject_id: String(tokenId) }];
}

/** Calls above that admins make on records of admins and super admins. */
const BY_ADMINS = /^(user\.|token\.|budget\.)/;

/** Its rows are numbers, without the mark of their owner. */
const UNMARKED = 'budget.windows';

const OF_THE_SITE =
  'channels, codes, prices and groups belong to the site: every admin manages them';
const READ_BY_ADMINS = 'admins read the log, the books and the orders of everybody';
const BY_OPTION = 'options have minimum roles of their own: privilege.test.ts';

/** Ids without an owner, and why. */
const SHARED: Readonly<Record<string, string>> = {
  'user.newAccessToken': 'super admins may act for anybody',
  'node.drain': OF_THE_SITE,
  'siteApply.giveBack': 'only its holder knows the turn',
  'group.set': OF_THE_SITE,
  'group.remove': OF_THE_SITE,
  'channel.get': OF_THE_SITE,
  'channel.create': 'the key is the new channel’s own',
  'channel.list': OF_THE_SITE,
  'channel.search': OF_THE_SITE,
  'channel.edit': OF_THE_SITE,
  'channel.remove': OF_THE_SITE,
  'channel.setStatus': OF_THE_SITE,
  'channel.wake': OF_THE_SITE,
  'channel.copy': OF_THE_SITE,
  'channel.key': 'super admins read the keys of the site',
  'channelKey.manage': OF_THE_SITE,
  'vendor.get': 'all users read the same list',
  'channelBatch.remove': OF_THE_SITE,
  'channelBatch.setTag': OF_THE_SITE,
  'channelBatch.edit': OF_THE_SITE,
  'channelTag.edit': OF_THE_SITE,
  'channelTag.enable': OF_THE_SITE,
  'channelTag.disable': OF_THE_SITE,
  'channelTransfer.exportAll': OF_THE_SITE,
  'probe.test': OF_THE_SITE,
  'channelBalance.update': OF_THE_SITE,
  'channelModel.compare': OF_THE_SITE,
  'channelModel.fetch': OF_THE_SITE,
  'channelModel.prices': OF_THE_SITE,
  'channelModel.fetchOf': 'the key is sent along with the question',
  'channelHealth.one': OF_THE_SITE,
  'channelHealth.many': OF_THE_SITE,
  'redemption.get': OF_THE_SITE,
  'redemption.create': 'the key is the new code’s own',
  'redemption.edit': OF_THE_SITE,
  'redemption.batchDisable': OF_THE_SITE,
  'redemption.remove': OF_THE_SITE,
  'wallet.redeem': 'whoever knows a code may redeem it',
  'wallet.allOrders': READ_BY_ADMINS,
  'wallet.completeOrder': 'super admins settle the orders of everybody',
  'option.get': BY_OPTION,
  'option.set': BY_OPTION,
  'option.unset': BY_OPTION,
  'option.audit': BY_OPTION,
  'destination.remove': 'destinations are the site’s: super admins manage them',
  'destination.test': 'destinations are the site’s: super admins manage them',
  'message.get': 'admins manage all messages',
  'message.create': 'admins write to everybody',
  'message.edit': 'admins manage all messages',
  'message.remove': 'admins manage all messages',
  'message.recipients': 'admins manage all messages',
  'log.list': READ_BY_ADMINS,
  'log.stat': READ_BY_ADMINS,
  'log.tail': READ_BY_ADMINS,
  'log.detail': READ_BY_ADMINS,
  'log.exportCsv': READ_BY_ADMINS,
  'log.exportJsonl': READ_BY_ADMINS,
  'data.list': READ_BY_ADMINS,
  'data.overview': READ_BY_ADMINS,
  'ledger.list': READ_BY_ADMINS,
  'mjTask.list': READ_BY_ADMINS,
  'task.list': READ_BY_ADMINS,
  'user.create': 'the name is the new account’s own',
  'account.editSelf': 'the name is the caller’s new one',
  'job.run': 'jobs are the site’s',
  'oauth.bindTelegram': 'the id is signed by Telegram',
  'oauth.postBindTelegram': 'the id is signed by Telegram',
  'oauth.unbind': 'names a provider, not an identity',
};

/** Fields by which a call may name an owned record. */
const IDS =
  /^(id|ids|key|token|tag|user|username|channel|provider|trade_no|tradeno)$|_(id|ids|no|key)$/;

function takesIds(way: (typeof ways)[number]): boolean {
  const names = Object.keys(fieldsOf(way.call));
  return way.path.includes(':') || names.some((name) => IDS.test(name));
}

const request = ways.filter(({ call }) => call.role > 0).filter(takesIds);

const actors = await createSecuritySite();
const expectUnchanged = changeCheck(actors.site);

it.each([...new Set(request.map(({ id }) => id))])(
  'every id parameter of %s has an ownership rule',
  (id) => {
    expect([id, id in ATTEMPTS, id in SHARED]).toEqual([id, id in ATTEMPTS, !(id in ATTEMPTS)]);
  },
);

it('every ownership rule belongs to an existing call', () => {
  const ids = new Set(ways.map(({ id }) => id));
  const settled = [...Object.keys(ATTEMPTS), ...Object.keys(SHARED)];
  expect(settled.filter((id) => !ids.has(id))).toEqual([]);
});

const attempts = ways.flatMap((way) =>
  [ATTEMPTS[way.id] ?? []].flat().map((attempt) => ({ way, title: way.title, ...attempt })),
);

describe('user', () => {
  const mine = attempts.filter(({ way }) => roleOf(way.call) === 1);
  it.each(mine)(
    'gets $outcome for records of another user by $title',
    async ({ way, outcome, inputs }) => {
      for (const input of inputs(actors.theirs))
        await expectNothingGained('user', way, outcome, input);
    },
  );
});

describe('owner', () => {
  const reads = attempts.filter(
    ({ way }) => roleOf(way.call) === 1 && !way.changes && way.id !== UNMARKED,
  );
  it.each(reads)(
    'can access the record by $title, so the test had something to find',
    async ({ way, inputs }) => {
      const { owner } = actors.theirs;
      const browser = await signedIn(actors.site, owner);
      for (const input of inputs(actors.theirs)) {
        const { path, options: request } = requestTo(way, input);
        expect((await browser.send(way.method, path, request)).text).toContain(MARK);
      }
    },
  );
});

describe.each(['peers', 'roots'] as const)(
  'admin and accounts of equal or higher rank',
  (whose) => {
    const theirs = attempts.filter(({ way }) => BY_ADMINS.test(way.id));
    it.each(theirs)(
      `gets $outcome of their ${whose}’ by $title`,
      async ({ way, outcome, inputs }) => {
        for (const input of inputs(actors[whose]))
          await expectNothingGained('admin', way, outcome, input);
      },
    );
  },
);

describe('admin', () => {
  it('cannot see whole token keys of lower-ranked users', async () => {
    const { tokenId, tokenKey } = actors.theirs;
    const reply = await actors.admin.send('POST', `/api/token/${tokenId}/reveal`);
    expect(reply.body).toMatchObject({ success: false, code: 'permission_denied' });
    const shown = await actors.admin.send('GET', `/api/token/${tokenId}`);
    expect(shown.body.success).toBe(true);
    expect(shown.text).not.toContain(tokenKey);
  });
});

async function expectNothingGained(
  who: 'user' | 'admin',
  way: (typeof ways)[number],
  outcome: Attempt['outcome'],
  input: Input,
): Promise<void> {
  await expectUnchanged(async () => {
    const { path, options: request } = requestTo(way, input);
    const reply = await actors[who].send(way.method, path, request);
    const isRefusal = reply.status >= 400 || reply.body?.success === false;
    expect([input, isRefusal], reply.text).toEqual([input, outcome === 'refused']);
    // A refusal repeats the number of the order that was asked for.
    const { trade_no = '' } = input;
    expect(reply.text.replaceAll(String(trade_no), '')).not.toContain(MARK);
  });
}
