/** Sets up a fresh cluster through the services: channels, prices, accounts and tokens. */
import type { OpenedSite } from '../../../../src/boot.ts';
import type { Context } from '../../../../src/context.ts';
import type { Role } from '../../../../src/domain/roles.ts';
import { localApi } from '../../../../src/handlers.ts';
import { replaceAccessToken } from '../../../../src/services/accounts/access-tokens.ts';
import { openAccount } from '../../../../src/services/accounts/new-account.ts';
import { writing } from '../../../../src/services/cluster/announced-write.ts';
import { hashPassword } from '../../../../src/services/credentials/passwords.ts';

const OPERATOR = { kind: 'operator' } as const;

/** Models that clients request, with the provider's behaviour for each. */
export const MODELS = {
  whole: 'gpt-4o-mini+delay:40',
  streamed: 'gpt-4o-mini+paced:12:40',
  breaking: 'gpt-4o-mini+reset-stream:6',
  long: 'gpt-4o-mini+paced:20:100',
} as const;

export type Model = keyof typeof MODELS;

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  /** For the management API. */
  readonly accessToken: string;
}

/** A token and its limit. */
export interface LimitedToken {
  readonly key: string;
  readonly limit: number;
}

export interface SiteSetup {
  /**
   * Tokens of callers, alternately rich enough for calls without a hold and so poor that every call
   * needs one.
   */
  readonly keys: readonly string[];
  readonly admin: Person;
  /** The owners of `keys`, in the same order. */
  readonly people: readonly Person[];
  /** Limited to a number of calls per `RATE_PERIOD_SEC`. */
  readonly rated: LimitedToken;
  /** Limited in concurrent calls. */
  readonly capped: LimitedToken;
}

export const RATE_PERIOD_SEC = 2;
const RATE_COUNT = 3;
const MOST_AT_ONCE = 2;
const PASSWORD = 'as long as it takes';

/** One percent of the smaller balance is less than any call of the load reserves. */
const ACCOUNTS = [
  ['rich', 2_000_000_000],
  ['held1', 19_000_000],
  ['opulent', 2_000_000_000],
  ['held2', 19_000_000],
  ['wealthy', 2_000_000_000],
  ['held3', 19_000_000],
] as const;

export async function setUpSite({ ctx }: OpenedSite, upstream: { url: string; key: string }) {
  await setUpChannels(ctx, upstream);
  const admin = await addPerson(ctx, 'admin', 100, 0);
  const people: Person[] = [];
  const keys: string[] = [];
  const tokens = localApi(ctx, OPERATOR).token;
  for (const [username, quota] of ACCOUNTS) {
    const person = await addPerson(ctx, username, 1, quota);
    people.push(person);
    keys.push((await tokens.create({ name: username, user: person.id, remain_quota: quota })).key);
  }
  const owner = { user: people[0]?.id, unlimited_quota: true };
  const rated = await tokens.create({
    ...owner,
    name: 'rated',
    rate_limit_enabled: true,
    rate_limit_period: RATE_PERIOD_SEC,
    rate_limit_count: RATE_COUNT,
    rate_limit_success: 0,
  });
  const capped = await tokens.create({ ...owner, name: 'capped', max_concurrency: MOST_AT_ONCE });
  return {
    keys,
    admin,
    people,
    rated: { key: rated.key, limit: RATE_COUNT },
    capped: { key: capped.key, limit: MOST_AT_ONCE },
  } satisfies SiteSetup;
}

async function setUpChannels(ctx: Context, upstream: { url: string; key: string }) {
  const api = localApi(ctx, OPERATOR);
  const names = Object.keys(MODELS);
  const ones = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
  await api.option.set({ key: 'ModelRatio', value: ones });
  await api.option.set({ key: 'CompletionRatio', value: ones });
  await api.option.set({ key: 'RetryTimes', value: 1 });
  for (const name of ['first', 'second'])
    await api.channel.create({
      name,
      key: upstream.key,
      base_url: upstream.url,
      models: names.join(','),
      model_mapping: JSON.stringify(MODELS),
    });
}

async function addPerson(
  ctx: Context,
  username: string,
  role: Role,
  quota: number,
): Promise<Person> {
  const account = {
    username,
    password: await hashPassword(PASSWORD),
    display_name: '',
    role,
    email: '',
    group: 'default',
    quota,
  };
  const id = await writing(ctx, (ctx) => openAccount(ctx, OPERATOR, account));
  const accessToken = await replaceAccessToken(ctx, OPERATOR, id);
  return { id, username, password: PASSWORD, accessToken };
}
