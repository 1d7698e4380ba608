/** Collects what `gateway serve` reports at start. */
import { fitsListener } from '../domain/addresses/server-address.ts';
import { setupLink } from '../services/site/setup-code.ts';
import type { StartReport } from './serve-hooks.ts';
import type { Serving } from './serving.ts';

export async function startReport({ booted: { ctx }, url }: Serving): Promise<StartReport> {
  const setupUrl = await setupLink(ctx, url);
  const address = ctx.options().get('ServerAddress');
  // Set-up proposes its own address.
  const isFit = setupUrl !== undefined || fitsListener(address, url);
  return { url, setupUrl, mismatchedAddress: isFit ? undefined : address };
}
