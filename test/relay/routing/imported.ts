/** Channel columns as another installation may have left them, which the API would not write. */
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import type { Site, SiteChannel } from '../../support/site.ts';

export async function importedChannel(
  site: Site,
  fields: Parameters<Site['addChannel']>[0],
  columns: object,
): Promise<SiteChannel> {
  const channel = await site.addChannel(fields);
  if (Object.keys(columns).length > 0)
    await writing(site.ctx, async (ctx) => {
      await ctx.db('channels').where({ id: channel.id }).update(columns);
      await announceChange(ctx.db, 'channels', channel.id);
    });
  return channel;
}
