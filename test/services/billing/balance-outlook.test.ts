import { describe, expect, it } from 'vitest';
import { nowSec } from '../../../src/context.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, HOUR, writeEntries } from '../logs/log-entries.ts';

describe('the outlook of a balance', async () => {
  const site = await sharedLocalSite();

  it('comes from the net spend since the first call of the last week', async () => {
    const user = await site.aUser({ quota: 6_000 });
    const now = nowSec(site.ctx);
    const entry = { user_id: user.id, username: user.username };
    await writeEntries(site.ctx, [
      anEntry({ ...entry, quota: 50_000, created_at: now - 9 * DAY }),
      anEntry({ ...entry, quota: 1_500, created_at: now - 2 * DAY }),
      anEntry({ ...entry, quota: 900, created_at: now - HOUR }),
      anEntry({ ...entry, quota: 400, created_at: now - HOUR, type: 7 }),
    ]);
    const outlook = await site.as(user.actor).wallet.outlook({});
    expect(outlook).toMatchObject({ quota: 6_000, spent: 2_000, days_left: 6, is_low: false });
    const stat = await site.as(user.actor).log.statOwn({ start_timestamp: outlook.since });
    expect(stat).toMatchObject({ quota: outlook.spent, refunds: 400 });
  });

  it('is low below the own threshold, else below that of the site', async () => {
    const user = await site.aUser({ quota: 999 });
    const api = site.as(user.actor);
    expect(await api.wallet.outlook({})).toMatchObject({ days_left: null, is_low: true });
    await api.account.changeSetting({ quota_warning_threshold: 500 });
    expect(await api.wallet.outlook({})).toMatchObject({ is_low: false });
  });
});
