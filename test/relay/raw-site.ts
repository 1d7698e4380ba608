/** A site with an additional upstream that responds with exactly what a test provides. */
import { afterAll } from 'vitest';
import { aSite, type Site, type SiteOptions } from '../support/site.ts';
import { type RawUpstream, rawUpstream } from './raw-upstream.ts';

/** For a whole test file: both are closed after its tests. */
export async function rawSite(
  options: SiteOptions = {},
): Promise<{ readonly site: Site; readonly raw: RawUpstream }> {
  const site = await aSite(options);
  const raw = await rawUpstream();
  afterAll(async () => {
    await site.close();
    await raw.close();
  });
  return { site, raw };
}
