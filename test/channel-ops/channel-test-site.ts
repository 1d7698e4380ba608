import { beforeEach } from 'vitest';
import { sharedSite } from '../support/shared-site.ts';
import { OPERATOR, type Site } from '../support/site.ts';

/** A shared gateway; before each test only its first channel is left, enabled, and results change no status. */
export async function channelTestSite(): Promise<Site> {
  const site = await sharedSite();
  beforeEach(async () => {
    await site.ctx.db('channels').whereNot({ id: site.channel.id }).delete();
    await site.as(OPERATOR).channel.setStatus({ id: site.channel.id, status: 1 });
    await site.option('AutomaticDisableChannelEnabled', false);
    await site.option('AutomaticEnableChannelEnabled', false);
    await site.option('ChannelDisableThreshold', 5);
  });
  return site;
}
