/** A site with an additional upstream that responds with exactly what a test provides. */
import { afterAll } from 'vitest';
import { sharedSite } from '../support/shared-site.ts';
import type { Site, SiteOptions } from '../support/site.ts';
import { type RawUpstream, rawUpstream } from './raw-upstream.ts';
import { addTenant, type Tenant, type TenantOptions } from './tenant.ts';

interface RawSite {
  readonly site: Site;
  readonly raw: RawUpstream;
  /** A tenant whose only channel points to the raw upstream. */
  rawTenant(options?: TenantOptions): Promise<Tenant>;
}

/** For a whole test file: both are closed after its tests. */
export async function rawSite(options: SiteOptions = {}): Promise<RawSite> {
  const raw = await rawUpstream();
  afterAll(() => raw.close());
  const site = await sharedSite(options);
  return {
    site,
    raw,
    rawTenant: (given = {}) =>
      addTenant(site, { ...given, channel: { base_url: raw.url, ...given.channel } }),
  };
}
