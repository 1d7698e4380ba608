/** Serves OpenAI's billing endpoints to API tokens, for clients that show the remaining credit. */
import type { Language } from '../../domain/languages.ts';
import { creditGrants, subscription, usage } from '../../services/billing/billing-dashboard.ts';
import { authenticate } from '../admission/authenticate.ts';
import { admitAddress } from '../admission/rate-limits.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { openAiErrorOf } from '../translate/error-response.ts';

const PAGES = { subscription, usage, credit_grants: creditGrants } as const;
export type BillingPage = keyof typeof PAGES;
export const BILLING_PAGES: readonly BillingPage[] = ['subscription', 'usage', 'credit_grants'];

/**
 * The token is authenticated as for every call; later errors are returned as an answer with an
 * `error` field, as these clients expect.
 */
export async function billingPage(
  relay: Ports<'callers' | 'ctx'>,
  incoming: Incoming,
  page: BillingPage,
  language: Language | undefined,
) {
  const caller = await authenticate(relay, incoming);
  admitAddress(caller, incoming);
  try {
    return await PAGES[page](relay.ctx, { tokenId: caller.token.id, userId: caller.user.id });
  } catch (error) {
    const { requestId } = incoming;
    return openAiErrorOf(error, { requestId, language, log: relay.ctx.log }).body;
  }
}
