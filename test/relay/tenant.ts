/**
 * An isolated tenant for one test: a model name, a price, a user, a token with a limit and a
 * channel that no other test uses, so that all changes can be read exactly.
 */
import { expect } from 'vitest';
import type {
  OpenAnswer,
  Site,
  SiteAnswer,
  SiteCall,
  SiteChannel,
  SiteToken,
  SiteUser,
} from '../support/site.ts';
import type { Plan } from '../upstream/plans/plan.ts';
import type { FakeUpstream } from '../upstream/server.ts';
import { type PriceText, type ReportedUsage, tokensOfUsage, unitsOf } from './units.ts';

/** Chosen to make rounding visible. */
export const PRICE = { ratio: '1.375', completion: '3.2', cache: '0.45' } as const;
export const MESSAGES = [
  { role: 'system', content: 'Answer briefly.' },
  { role: 'user', content: 'What do 世界 and 🌍 have in common, in one sentence?' },
] as const;

/** Several times the longest answer, so that no output limit is lowered. */
const BALANCE = 4_000_000;
const TOKEN_LIMIT = 3_200_000;

export interface TenantOptions {
  /** Default `PRICE`; 'none' sets no price for the model. */
  readonly price?: PriceText | 'none';
  /**
   * The price is not shared with other tenants, so that a test can add to it. Default for another
   * upstream name, whose own price would apply first.
   */
  readonly ownPrice?: boolean;
  readonly quota?: number;
  readonly tokenLimit?: number;
  readonly token?: NonNullable<Parameters<Site['addToken']>[0]>;
  readonly channel?: NonNullable<Parameters<Site['addChannel']>[0]>;
  /** The upstream name of the tenant's model. */
  readonly upstreamModel?: string;
  /** Suffix of the model name, from which the fake upstream reads its plan. */
  readonly suffix?: string;
}

/** The changes since the tenant was opened. */
export interface Bill {
  readonly charges: readonly {
    readonly key: string;
    readonly user: number;
    readonly token: number;
    readonly channel: number;
    readonly channelId: number;
  }[];
  readonly spent: { readonly user: number; readonly token: number; readonly channel: number };
  readonly held: { readonly user: number; readonly token: number };
}

export const NOTHING: Bill = {
  charges: [],
  spent: { user: 0, token: 0, channel: 0 },
  held: { user: 0, token: 0 },
};

export class Tenant {
  readonly site: Site;
  readonly model: string;
  readonly user: SiteUser;
  readonly token: SiteToken;
  readonly channel: SiteChannel;
  readonly #quota: number;

  constructor(site: Site, made: Made) {
    this.site = site;
    this.model = made.model;
    this.user = made.user;
    this.token = made.token;
    this.channel = made.channel;
    this.#quota = made.quota;
  }

  /** A chat request of this tenant's model. */
  body(extra: object = {}) {
    return { model: this.model, messages: MESSAGES, ...extra };
  }

  /** A call with this tenant's token and, by default, its chat body. */
  call(extra: object = {}, call: SiteCall = {}): Promise<SiteAnswer> {
    return this.site.call({ body: this.body(extra), key: this.token.key, ...call });
  }

  start(extra: object = {}, call: SiteCall = {}): Promise<OpenAnswer> {
    return this.site.start({ body: this.body(extra), key: this.token.key, ...call });
  }

  script(...plans: readonly (Plan | string)[]): void {
    this.site.upstream.script(...plans);
  }

  /** The ledger after everything has been settled. At its end a site compares the ledger with all balances. */
  async bill(): Promise<Bill> {
    const { site, user, token, channel } = this;
    await site.settled(user.id);
    const [account, limit] = [await site.balance(user.id), await site.tokenBalance(token.id)];
    const charges = (await site.chargesOf(user.id)).map((row) => ({
      key: row.key,
      user: row.user_units,
      token: row.token_units,
      channel: row.channel_units,
      channelId: row.channel_id,
    }));
    const own = charges.filter(({ channelId }) => channelId === channel.id);
    return {
      charges,
      spent: {
        user: this.#quota - account.quota,
        token: token.remain_quota - limit.remain_quota,
        channel: own.reduce((sum, charge) => sum + charge.channel, 0),
      },
      held: { user: account.held, token: limit.held },
    };
  }

  /** The charge and log entry of the only charged call. */
  charged(requestId: string, units: number, channelId = this.channel.id): Bill {
    const key = `call:${requestId}`;
    const channel = channelId === this.channel.id ? units : 0;
    return {
      ...NOTHING,
      charges: [{ key, user: -units, token: -units, channel: units, channelId }],
      spent: { user: units, token: units, channel },
    };
  }

  /** One charge of `units`, posted on user, token and channel, and its log entry. */
  async expectCharged(
    requestId: string,
    expected: {
      readonly units: number;
      readonly source: 'upstream' | 'estimated';
      readonly prompt: number;
      readonly completion: number;
      readonly channelId?: number;
    },
  ): Promise<void> {
    const { units, source, prompt, completion, channelId = this.channel.id } = expected;
    expect(await this.bill()).toEqual(this.charged(requestId, units, channelId));
    expect(await this.site.logOf(requestId)).toMatchObject({
      quota: units,
      usage_source: source,
      prompt_tokens: prompt,
      completion_tokens: completion,
      channel_id: channelId,
      user_id: this.user.id,
      token_id: this.token.id,
      model_name: this.model,
    });
  }

  /** The charge for exactly this usage, which the upstream reported. */
  expectUsageCharged(
    requestId: string,
    usage: ReportedUsage,
    { price = PRICE, channelId = this.channel.id }: { price?: PriceText; channelId?: number } = {},
  ): Promise<void> {
    return this.expectCharged(requestId, {
      units: unitsOf(tokensOfUsage(usage), price),
      source: 'upstream',
      prompt: usage.prompt_tokens,
      completion: usage.completion_tokens ?? 0,
      channelId,
    });
  }

  /** The charge for tokens that the gateway counted itself. */
  expectCountCharged(requestId: string, prompt: number, completion: number): Promise<void> {
    const units = unitsOf({ input: prompt, output: completion }, PRICE);
    return this.expectCharged(requestId, { units, source: 'estimated', prompt, completion });
  }

  /** No balance changed, nothing is held, and no log entry has a charge. */
  async expectNothing(requestId?: string): Promise<void> {
    expect(await this.bill()).toEqual(NOTHING);
    if (requestId !== undefined) expect(await this.site.logOf(requestId)).toBeUndefined();
  }
}

interface Made {
  readonly model: string;
  readonly user: SiteUser;
  readonly token: SiteToken;
  readonly channel: SiteChannel;
  readonly quota: number;
}

let opened = 0;

/** Adds a tenant and resets the state of the site's fake upstreams. */
export async function addTenant(site: Site, options: TenantOptions = {}): Promise<Tenant> {
  for (const upstream of site.upstreams) upstream.reset();
  opened += 1;
  const { price = PRICE, suffix = '', upstreamModel } = options;
  const { ownPrice = upstreamModel !== undefined } = options;
  const name = `tenant-${opened}${suffix}`;
  // A name of Bedrock has the price of the name after the dot. Setting a price takes longer than a call.
  const model =
    price === 'none' || ownPrice ? name : `t${opened}.${await sharedPrice(site, name, price)}`;
  if (price !== 'none' && ownPrice) await setPrice(site, model, price);
  const quota = options.quota ?? BALANCE;
  const mapped =
    upstreamModel === undefined
      ? {}
      : { model_mapping: JSON.stringify({ [model]: upstreamModel }) };
  const { upstream = site.upstream, ...channelFields } = options.channel ?? {};
  const { owner, ...tokenFields } = options.token ?? {};
  const added = await site.addTogether(async (add) => {
    const user = await add.addUser({ quota });
    const limit = { remain_quota: options.tokenLimit ?? TOKEN_LIMIT };
    const token = await add.addTokenTo(owner ?? user, { ...limit, ...tokenFields });
    const fields = { models: model, ...mapped, ...channelFields };
    return { user, token, channel: await add.addChannelTo(upstream, fields) };
  });
  return new Tenant(site, { model, quota, ...added });
}

/** By site, price and suffix: the name of a model that has this price. */
const shared = new WeakMap<Site, Map<string, string>>();

/** Sets the price for this model if no other with the same suffix has it; returns which has. */
async function sharedPrice(site: Site, model: string, price: PriceText): Promise<string> {
  const known = shared.get(site) ?? new Map<string, string>();
  shared.set(site, known);
  const key = JSON.stringify([price, model.replace(/^tenant-\d+/, '')]);
  const priced = known.get(key);
  if (priced !== undefined) return priced;
  await setPrice(site, model, price);
  known.set(key, model);
  return model;
}

export function setPrice(site: Site, model: string, price: PriceText): Promise<void> {
  const { ratio, completion, cache } = price;
  const rows = { ModelRatio: Number(ratio), CompletionRatio: Number(completion) };
  return addRows(site, model, cache === undefined ? rows : { ...rows, CacheRatio: Number(cache) });
}

/** Adds an entry to a price option. */
export function addRow(site: Site, key: string, name: string, value: number): Promise<void> {
  return addRows(site, name, { [key]: value });
}

/** Adds an entry to each of these options. */
async function addRows(
  site: Site,
  name: string,
  rows: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { option } = site.as({ kind: 'operator' });
  const options = Object.entries(rows).map(([key, value]) => {
    const entries = JSON.parse(site.ctx.options().raw(key) || '{}');
    return { key, value: JSON.stringify({ ...entries, [name]: value }) };
  });
  await option.setMany({ options });
}

/** The prices of a model's service tiers, relative to the default tier. */
export function addTiers(
  site: Site,
  model: string,
  tiers: Readonly<Record<string, number>>,
): Promise<void> {
  return addRows(site, model, { ServiceTierRatio: tiers });
}

/** A second channel for the tenant's model, with lower priority, at the site's second upstream. */
export function spareChannel(
  tenant: Tenant,
  upstream: FakeUpstream | undefined = tenant.site.upstreams[1],
): Promise<SiteChannel> {
  if (upstream === undefined) throw new Error('two upstreams are needed');
  return tenant.site.addChannel({ models: tenant.model, upstream, priority: -1 });
}
