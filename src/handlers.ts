/** Every call with the function that answers it: what a server mounts and a local command calls. */
import { apiCalls } from './api/all.ts';
import type { Actor, Call, Client, Service } from './api/call.ts';
import { local } from './api/local.ts';
import type { Context } from './context.ts';
import type { Language } from './locales/text.ts';
import * as channelBalance from './relay/channel-balance.ts';
import * as channelModel from './relay/channel-models.ts';
import * as probe from './relay/channel-probe.ts';
import * as channelTest from './relay/channel-test-run.ts';
import { account } from './services/accounts.ts';
import * as channelBatch from './services/channel-batch.ts';
import * as channelHealth from './services/channel-outcomes.ts';
import * as channelTag from './services/channel-tags.ts';
import * as channelTransfer from './services/channel-transfer.ts';
import * as channel from './services/channels.ts';
import * as data from './services/dashboard.ts';
import * as group from './services/groups.ts';
import * as oauth from './services/identity/oauth.ts';
import * as job from './services/jobs.ts';
import * as ledger from './services/ledger.ts';
import * as log from './services/logs.ts';
import * as message from './services/messages.ts';
import * as mjTask from './services/mj-tasks.ts';
import * as node from './services/node-calls.ts';
import * as notice from './services/notify/calls.ts';
import * as option from './services/options.ts';
import * as priceSource from './services/price-source.ts';
import * as price from './services/prices.ts';
import * as publicInfo from './services/public.ts';
import * as redemption from './services/redemptions.ts';
import * as setup from './services/setup.ts';
import * as status from './services/status.ts';
import * as task from './services/tasks.ts';
import * as token from './services/tokens.ts';
import * as user from './services/users.ts';
import * as wallet from './services/wallet.ts';

type Nouns = typeof apiCalls;
type Handlers = { readonly [N in keyof Nouns]: Service<Nouns[N], Context> };

export const handlers = {
  status,
  setup,
  user,
  account,
  group,
  channel,
  channelBatch,
  channelTag,
  channelTransfer,
  probe,
  channelTest,
  channelBalance,
  channelModel,
  channelHealth,
  token,
  redemption,
  wallet,
  option,
  price,
  priceSource,
  public: publicInfo,
  message,
  notice,
  log,
  data,
  ledger,
  mjTask,
  task,
  job,
  node,
  oauth,
} satisfies Handlers;

export type Api = { readonly [N in keyof Nouns]: Client<Nouns[N]> };

/** All calls, answered in this process for `actor`. */
export function localApi(ctx: Context, actor: Actor, language: Language = 'en'): Api {
  const clients = nouns().map((noun) => [
    noun,
    local(apiCalls[noun], handlers[noun] as never, ctx, actor, language), // each noun's own pair, as `handlers` shows
  ]);
  return Object.fromEntries(clients) as Api; // one client per noun of the same table
}

export function nouns(): (keyof Nouns)[] {
  return Object.keys(apiCalls) as (keyof Nouns)[]; // an object literal's own keys
}

export interface Handled {
  readonly noun: keyof Nouns;
  readonly name: string;
  readonly call: Call;
  readonly run: (
    ...given: Parameters<Service<{ call: Call }, Context>['call']>
  ) => Promise<unknown>;
}

/** Every call of every noun with its function, flat. */
export function handledCalls(): Handled[] {
  return nouns().flatMap((noun) =>
    Object.entries<Call>(apiCalls[noun]).map(([name, call]) => {
      const run = (handlers[noun] as Readonly<Record<string, unknown>>)[name];
      return { noun, name, call, run: run as Handled['run'] }; // `satisfies Handlers` proved it
    }),
  );
}
