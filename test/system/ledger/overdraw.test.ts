import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { startServer } from '../../../src/server/serve.ts';
import type { Serving } from '../../../src/server/serving.ts';
import { databases } from '../../support/databases.ts';
import { aSite, type Site, type SiteToken, type SiteUser } from '../../support/site.ts';

const CALLERS = 32;
const OPENING = 2_500;
/** No call can cost more than its hold: a token costs one unit, and the output is bounded. */
const BODY = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Spend all that is left, but nothing more.' }],
  max_tokens: 12,
};

const CASES = [
  { kind: 'sqlite', strictHolds: true, how: 'reserving each call' } as const,
  ...databases.map(({ kind }) => {
    return { kind, strictHolds: false, how: 'reserving for many at once' };
  }),
];

describe.each(CASES)('two nodes overspending on $kind, $how', ({ kind, strictHolds }) => {
  let site: Site;
  let second: Serving;
  beforeAll(async () => {
    site = await aSite({ database: kind, config: { strictHolds } });
    await site.option('ModelRatio', { [BODY.model]: 1 });
    await site.option('CompletionRatio', { [BODY.model]: 1 });
    const { dataDir } = site.ctx.config;
    const place = { dataDir, database: site.dsn, port: 0, web: false, logLevel: 'silent' };
    second = await startServer(loadConfig({ ...place, strictHolds }, {}));
  });
  afterAll(async () => {
    await second?.stop();
    await site?.close();
  });

  /** All callers call until refused; returns the number of answered calls and the refusals. */
  const spendAll = async (token: SiteToken) => {
    const codes = new Set<string>();
    let answered = 0;
    const callers = Array.from({ length: CALLERS }, async (_, index) => {
      const url = index % 2 === 0 ? site.url : second.url;
      for (;;) {
        const answer = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${token.key}`,
          },
          body: JSON.stringify({ ...BODY, stream: index % 3 === 0 }),
        });
        const text = await answer.text();
        if (answer.status !== 200) {
          codes.add(`${answer.status} ${JSON.parse(text).error.code}`);
          return;
        }
        answered += 1;
      }
    });
    await Promise.all(callers);
    return { answered, codes: [...codes] };
  };

  const expectSpent = async (user: SiteUser, answered: number) => {
    await site.settled();
    const charges = await site.chargesOf(user.id);
    expect(charges).toHaveLength(answered);
    const dearest = Math.max(...charges.map((row) => -row.user_units));
    expect(answered).toBeGreaterThan(OPENING / (2 * dearest));
    expect(await site.verifySettled()).toMatchObject({ ok: true });
  };

  it('never let a user spend more than the balance', async () => {
    const user = await site.addUser({ quota: OPENING });
    const { answered, codes } = await spendAll(await site.addToken({ owner: user }));
    expect(codes).toEqual(['402 insufficient_user_quota']);
    await expectSpent(user, answered);
    const { quota } = await site.balance(user.id);
    expect(quota).toBeGreaterThanOrEqual(0);
    expect(quota).toBeLessThan(OPENING / 2);
  });

  it('never let a token spend more than its limit', async () => {
    const user = await site.addUser({ quota: 1_000_000_000 });
    const token = await site.addToken({ owner: user, remain_quota: OPENING });
    const { answered, codes } = await spendAll(token);
    // First the balance is too small for a call; after the last unit it is used up.
    expect(codes.length).toBeGreaterThan(0);
    for (const code of codes)
      expect(['402 pre_consume_token_quota_failed', '402 insufficient_quota']).toContain(code);
    await expectSpent(user, answered);
    const { remain_quota } = await site.tokenBalance(token.id);
    expect(remain_quota).toBeGreaterThanOrEqual(0);
    expect(remain_quota).toBeLessThan(OPENING / 2);
  });
});
