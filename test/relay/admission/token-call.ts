/** Calls with a token of a site, and the refusals that they get. */
import { expect } from 'vitest';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import type { Site, SiteAnswer, SiteToken } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { type Refusal, refusalIn, withoutCost } from '../refusal.ts';

const CHINESE = { 'accept-language': 'zh' };

/** `site` is read at each call, because a hook opens it. */
export function tokenCallsOf(site: () => Site) {
  const call = (token: SiteToken, more: object = {}): Promise<SiteAnswer> =>
    site().call({ body: CHAT, key: token.key, ...more });
  return {
    call,

    /** The refusal in English, the default; only its text differs in Chinese. */
    refused: (token: SiteToken, more: { body?: unknown } = {}): Promise<Refusal> =>
      withoutCost(site(), async () => {
        const byDefault = refusalIn(await call(token, more));
        const chinese = refusalIn(await call(token, { ...more, headers: CHINESE }));
        expect({ ...chinese, message: byDefault.message }).toEqual(byDefault);
        expect(chinese.message).toMatch(/\p{Script=Han}/u);
        expect(byDefault.message).toMatch(/^[\x20-\x7e]+$/);
        return byDefault;
      }),

    /** Writes columns directly, because the services refuse such a token. */
    store: (token: SiteToken, columns: Readonly<Record<string, unknown>>): Promise<void> =>
      writing(site().ctx, async (ctx) => {
        await ctx.db('tokens').where({ id: token.id }).update(columns);
        await announceChange(ctx.db, 'tokens', token.id);
      }),
  };
}
