/** Pairs every API call with its implementation, for the server and for local commands. */
import { apiCalls } from './api/all.ts';
import type { Actor, Call, CallClient, Service } from './api/call.ts';
import { localClient } from './api/local.ts';
import type { Context } from './context.ts';
import type { Language } from './locales/text.ts';
import * as group from './services/accounts/groups.ts';
import * as user from './services/accounts/users.ts';
import * as ledger from './services/billing/ledger-reports.ts';
import * as priceSource from './services/billing/price-source.ts';
import * as price from './services/billing/prices.ts';
import * as redemption from './services/billing/redemptions.ts';
import * as statement from './services/billing/statement.ts';
import * as wallet from './services/billing/wallet.ts';
import * as budget from './services/budgets/budgets.ts';
import * as channelBatch from './services/channels/channel-batch.ts';
import { exportAll } from './services/channels/channel-export.ts';
import { importAll } from './services/channels/channel-import.ts';
import * as channelHealth from './services/channels/channel-outcomes.ts';
import * as channelTag from './services/channels/channel-tags.ts';
import * as channel from './services/channels/channels.ts';
import * as channelKey from './services/channels/manage-keys.ts';
import * as vendor from './services/channels/vendors.ts';
import * as siteApply from './services/cluster/apply-turn.ts';
import * as data from './services/dashboard/usage-by-model.ts';
import * as log from './services/logs/logs.ts';
import * as message from './services/messaging/messages.ts';
import * as destination from './services/messaging/notify/destinations.ts';
import * as notice from './services/messaging/notify/test-notifications.ts';
import * as option from './services/options/options.ts';
import { account } from './services/sign-in/account-calls.ts';
import * as oauth from './services/sign-in/identity/oauth.ts';
import * as job from './services/site/job-list.ts';
import * as node from './services/site/node-list.ts';
import * as publicInfo from './services/site/public-content.ts';
import * as setup from './services/site/setup.ts';
import * as status from './services/site/site-status.ts';
import { mjTask, task } from './services/tasks/task-lists.ts';
import * as tokenUsage from './services/tokens/token-of-key.ts';
import * as token from './services/tokens/tokens.ts';

type Nouns = typeof apiCalls;
type Handlers = { readonly [N in keyof Nouns]: Service<Nouns[N], Context> };

export const handlers: Handlers = {
  status,
  setup,
  user,
  account,
  group,
  channel,
  channelBatch,
  channelKey,
  channelTag,
  channelTransfer: { exportAll, importAll },
  probe: onDemand('probe', () => import('./channel-ops/channel-tests.ts')),
  channelTest: onDemand('channelTest', () => import('./channel-ops/channel-test-run.ts')),
  channelBalance: onDemand('channelBalance', () => import('./channel-ops/channel-balance.ts')),
  channelModel: onDemand('channelModel', () => import('./channel-ops/channel-models.ts')),
  channelHealth,
  vendor,
  token,
  tokenUsage,
  budget,
  redemption,
  wallet,
  option: {
    list: option.list,
    get: option.get,
    set: option.set,
    setMany: option.setMany,
    unset: option.unset,
    validateFallbackPricing: option.validateFallbackPricing,
    resetModelRatio: price.resetModelRatio,
    audit: option.audit,
  },
  price,
  priceSource,
  public: publicInfo,
  message,
  notice,
  destination,
  log: Object.assign({ ofToken: tokenUsage.ofToken }, log),
  data,
  ledger,
  statement,
  mjTask,
  task,
  job,
  node,
  siteApply,
  oauth,
};

/**
 * A service whose module is loaded at its first call: calling upstreams needs the dialects and an
 * HTTP client, which most commands do without.
 */
function onDemand<N extends keyof Nouns>(noun: N, load: () => Promise<Handlers[N]>): Handlers[N] {
  const calls = Object.keys(apiCalls[noun]).map((name) => [
    name,
    async (...given: readonly unknown[]) => {
      const service = (await load()) as Readonly<Record<string, (...given: unknown[]) => unknown>>;
      return service[name]?.(...given);
    },
  ]);
  return Object.fromEntries(calls) as Handlers[N]; // one function per call of the same table
}

export type LocalApi = { readonly [N in keyof Nouns]: CallClient<Nouns[N]> };

/** All calls, run in this process on behalf of `actor`. */
export function localApi(ctx: Context, actor: Actor, language: Language = 'en'): LocalApi {
  const clients = nouns().map((noun) => [
    noun,
    localClient(apiCalls[noun], handlers[noun] as never, ctx, actor, language), // `handlers` pairs each noun
  ]);
  return Object.fromEntries(clients) as LocalApi; // one client per noun of the same table
}

function nouns(): (keyof Nouns)[] {
  return Object.keys(apiCalls) as (keyof Nouns)[]; // an object literal's own keys
}

export interface HandledCall {
  readonly noun: keyof Nouns;
  readonly name: string;
  readonly call: Call;
  readonly run: (
    ...given: Parameters<Service<{ call: Call }, Context>['call']>
  ) => Promise<unknown>;
}

/** Every call of every noun with its function, as a flat list. */
export function handledCalls(): HandledCall[] {
  return nouns().flatMap((noun) =>
    Object.entries<Call>(apiCalls[noun]).map(([name, call]) => {
      const run = (handlers[noun] as Readonly<Record<string, unknown>>)[name];
      return { noun, name, call, run: run as HandledCall['run'] }; // checked by the type `Handlers`
    }),
  );
}
