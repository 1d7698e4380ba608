import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiCalls } from '../../../src/api/all.ts';
import { localClient } from '../../../src/api/local.ts';
import { boot, type OpenedSite } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import { handlers } from '../../../src/handlers.ts';
import { aSite, OPERATOR, type Site, type SiteAnswer } from '../../support/site.ts';

const CALLERS = 24;
const CALLS_EACH = 12;

/** Does what `gateway user quota`, `channel edit` and others do, from a separate process. */
describe('CLI commands beside a fully loaded server on one SQLite file', () => {
  let site: Site;
  let command: OpenedSite;
  beforeAll(async () => {
    site = await aSite({ options: { LogErrorEnabled: true } });
    const { dataDir } = site.ctx.config;
    command = await boot(loadConfig({ dataDir, database: site.dsn, logLevel: 'silent' }, {}));
  });
  afterAll(async () => {
    await command?.close();
    await site?.close();
  });

  const load = async (): Promise<SiteAnswer[]> => {
    const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello.' }] };
    const answers: SiteAnswer[] = [];
    const callers = Array.from({ length: CALLERS }, async (_, index) => {
      for (let call = 0; call < CALLS_EACH; call += 1)
        answers.push(await site.call({ body: { ...body, stream: index % 2 === 0 } }));
    });
    await Promise.all(callers);
    return answers;
  };

  const editUntil = async (isOver: () => boolean): Promise<number> => {
    const { ctx } = command;
    const user = localClient(apiCalls.user, handlers.user, ctx, OPERATOR);
    const token = localClient(apiCalls.token, handlers.token, ctx, OPERATOR);
    const channel = localClient(apiCalls.channel, handlers.channel, ctx, OPERATOR);
    const option = localClient(apiCalls.option, handlers.option, ctx, OPERATOR);
    let rounds = 0;
    for (; !isOver(); rounds += 1) {
      await user.setQuota({ id: site.user.id, mode: 'add', units: 1_000 });
      await channel.edit({ id: site.channel.id, weight: rounds % 90, priority: rounds % 3 });
      const made = await token.create({ name: `made ${rounds % 1000}`, user: site.user.id });
      await token.edit({ id: made.id, remain_quota: 5 + rounds });
      await token.remove({ id: made.id });
      await option.set({ key: 'RetryTimes', value: rounds % 4 });
    }
    return rounds;
  };

  it('all calls and commands succeed and no unit is lost', async () => {
    let isOver = false;
    const editing = editUntil(() => isOver);
    const answers = await load().finally(() => {
      isOver = true;
    });
    // A busy file would refuse either side: the caller with a 503, the command with an error.
    const rounds = await editing;
    expect(rounds).toBeGreaterThan(5);
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    for (const { text } of answers) expect(text).not.toContain('"error"');

    const charges = await site.chargesOf(site.user.id);
    expect(charges.map((row) => row.key).sort()).toEqual(
      answers.map(({ requestId }) => `call:${requestId}`).sort(),
    );
    const spent = charges.reduce((sum, row) => sum - row.user_units, 0);
    expect(await site.balance(site.user.id)).toMatchObject({
      quota: 5_000_000 + rounds * 1_000 - spent,
      held: 0,
    });
    expect(await site.verify()).toMatchObject({ ok: true, checked: { holds: 0 } });
  });
});
