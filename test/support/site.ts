/**
 * A complete running gateway: the real server on a free port, a fresh database, a temporary folder
 * and fake upstreams. For tests that call it through HTTP and check the result in the ledger. It
 * starts with one user with 10 USD, one token without a limit and one channel per upstream
 * (`CHANNEL_MODELS`).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type * as z from 'zod/mini';
import type { NewToken, Token } from '../../src/api/accounts/token.ts';
import type { Actor } from '../../src/api/call.ts';
import type { Channel, NewChannel } from '../../src/api/channels/channel.ts';
import { type ConfigFlags, loadConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { factsText } from '../../src/domain/logs/log-facts.ts';
import { type LocalApi as Clients, localApi } from '../../src/handlers.ts';
import type { Logger } from '../../src/log.ts';
import { startServer } from '../../src/server/serve.ts';
import type { Serving } from '../../src/server/serving.ts';
import { openAccount } from '../../src/services/accounts/new-account.ts';
import { writing } from '../../src/services/cluster/announced-write.ts';
import type { Engine } from '../../src/store/connection/engine.ts';
import {
  entriesByKey,
  type LedgerEntryRow,
  pageOfEntries,
} from '../../src/store/ledger/ledger-queries.ts';
import { channelUse, sumLedger } from '../../src/store/ledger/ledger-sums.ts';
import { logsOfRequest, type StoredLog } from '../../src/store/logs/log-rows.ts';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { type FreshDatabase, freshDatabase } from './databases.ts';

export const OPERATOR: Actor = { kind: 'operator' };
export const CHANNEL_MODELS = 'gpt-4o-mini,gpt-4o,gpt-3.5-turbo-instruct,text-embedding-3-small';
export const UPSTREAM_KEY = 'sk-fake-upstream-key';

export interface SiteOptions {
  /** Default sqlite. */
  readonly database?: Engine;
  /** Maps the database URL to the one the server uses, such as that of a relay that can be cut. */
  readonly through?: (dsn: string) => Promise<string>;
  /** Settings of `loadConfig`, durations in seconds. */
  readonly config?: ConfigFlags;
  /** Fake upstreams, each with a channel for the same models; default 1. */
  readonly upstreams?: number;
  /** A running upstream, used as the first one and closed by the site. */
  readonly upstream?: FakeUpstream;
  readonly options?: Readonly<Record<string, OptionGiven>>;
  /** The server's clock. */
  readonly now?: () => number;
  /** The server's log; silent by default. */
  readonly log?: Logger;
}

/** Objects are stored as JSON. */
export type OptionGiven = string | number | boolean | object;

export interface SiteUser {
  readonly id: number;
  readonly username: string;
  readonly actor: Actor & { readonly kind: 'user' };
}

export type SiteToken = z.output<typeof Token>;
export type SiteChannel = z.output<typeof Channel>;

type AccountFields = Partial<Parameters<typeof openAccount>[2]>;
type TokenFields = Partial<z.input<typeof NewToken>> & { readonly owner?: SiteUser };
type ChannelFields = Partial<z.input<typeof NewChannel>> & { readonly upstream?: FakeUpstream };

export interface Adders {
  addUser(fields?: AccountFields): Promise<SiteUser>;
  addTokenTo(owner: SiteUser, fields: Omit<TokenFields, 'owner'>): Promise<SiteToken>;
  addChannelTo(
    upstream: FakeUpstream,
    fields: Omit<ChannelFields, 'upstream'>,
  ): Promise<SiteChannel>;
}

export interface SiteCall {
  /** Default `/v1/chat/completions`. */
  readonly path?: string;
  /** Default POST, or GET without a body. */
  readonly method?: Dispatcher.HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly rawBody?: string | Buffer;
  /** Replaces the site's own token; '' sends none. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
}

export interface SiteAnswer extends AnswerHead {
  readonly bytes: Buffer;
  readonly text: string;
}

/** A response whose body has not been read yet. */
export interface OpenAnswer extends AnswerHead {
  readonly body: Dispatcher.ResponseData['body'];
  /** Closes the connection like a disconnecting client; resolves when it is closed. */
  leave(): Promise<void>;
}

export interface UserBalance {
  readonly quota: number;
  readonly held: number;
  readonly used_quota: number;
  readonly request_count: number;
}

export interface TokenBalance {
  readonly remain_quota: number;
  readonly held: number;
  readonly used_quota: number;
}

export type { LocalApi as Clients } from '../../src/handlers.ts';

export interface Site {
  readonly url: string;
  readonly ctx: Context;
  readonly serving: Serving;
  /** Its connection string, for a second process on the same database. */
  readonly dsn: string;
  /** The first of `upstreams`. */
  readonly upstream: FakeUpstream;
  readonly upstreams: readonly FakeUpstream[];
  readonly user: SiteUser;
  readonly token: SiteToken;
  /** The channel of the first upstream. */
  readonly channel: SiteChannel;
  /**
   * Clients of the management API that act as this actor.
   * They go on although models, groups or prices in use are affected.
   */
  as(actor: Actor): Clients;
  /** Defaults: role 1, group default and 10 USD. */
  addUser(fields?: AccountFields): Promise<SiteUser>;
  /** Defaults: owned by the site's user, without a limit. */
  addToken(fields?: TokenFields): Promise<SiteToken>;
  /** Uses the first upstream by default. */
  addChannel(fields?: ChannelFields): Promise<SiteChannel>;
  /** Adds several of them in one transaction, which takes fewer statements. */
  addTogether<T>(work: (add: Adders) => Promise<T>): Promise<T>;
  addUpstream(): Promise<FakeUpstream>;
  /** The option is in effect when this resolves. */
  option(key: string, value: OptionGiven): Promise<void>;
  /** Makes a call and reads the whole response; rejects if the connection breaks. */
  call(call: SiteCall): Promise<SiteAnswer>;
  /** Makes a call and waits only for the response head. */
  start(call: SiteCall): Promise<OpenAnswer>;
  /** Log entries of a request, oldest first. */
  logsOf(requestId: string): Promise<LoggedEntry[]>;
  /** The consumption log entry of a request. */
  logOf(requestId: string): Promise<LoggedEntry | undefined>;
  /** Ledger entries of the request. */
  ledgerOf(requestId: string): Promise<LedgerEntryRow[]>;
  /** Charges and refunds of a user, oldest first. */
  chargesOf(userId: number): Promise<LedgerEntryRow[]>;
  balance(userId: number): Promise<UserBalance>;
  tokenBalance(tokenId: number): Promise<TokenBalance>;
  channelUsed(channelId: number): Promise<number>;
  /** Open holds of one user, or of all. */
  openHolds(userId?: number): Promise<number>;
  /** Waits until every call (of one user, or of all) has released its hold. */
  settled(userId?: number): Promise<void>;
  verify(): ReturnType<Clients['ledger']['verify']>;
  /**
   * The same, once no hold is open: an account that calls often gets one for its next calls after the
   * call that asked for it has ended.
   */
  verifySettled(): ReturnType<Clients['ledger']['verify']>;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * Resolves with the first result of `probe` that is not undefined or false; rejects after
 * `withinMs`.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 30_000,
  everyMs = 10,
): Promise<T> {
  const endsAt = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > endsAt) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(everyMs);
  }
}

export async function aSite(options: SiteOptions = {}): Promise<Site> {
  const opened = await openSite(options);
  const { ctx } = opened;
  const { addUpstream, option, addersOn } = buildersOn(opened);
  const { addUser, addTokenTo, addChannelTo } = addersOn(ctx);
  const addTogether: Site['addTogether'] = (work) => writing(ctx, (trx) => work(addersOn(trx)));
  for (const [key, value] of Object.entries(options.options ?? {})) await option(key, value);
  const upstream = options.upstream ?? (await addUpstream());
  if (options.upstream !== undefined) opened.upstreams.push(upstream);
  const { user, token, channel } = await addTogether(async (add) => {
    const user = await add.addUser();
    const token = await add.addTokenTo(user, {});
    return { user, token, channel: await add.addChannelTo(upstream, {}) };
  });
  for (let more = 1; more < (options.upstreams ?? 1); more += 1)
    await addChannelTo(await addUpstream(), {});
  const as = (actor: Actor) => localApi(ctx, actor);
  const lookups = lookupsIn(ctx);
  const verify = () => as(OPERATOR).ledger.verify({});
  let closing: Promise<void> | undefined;
  return {
    url: opened.serving.url,
    ctx,
    serving: opened.serving,
    dsn: opened.database.dsn,
    upstream,
    upstreams: opened.upstreams,
    user,
    token,
    channel,
    as,
    addUser,
    addToken: ({ owner = user, ...fields } = {}) => addTokenTo(owner, fields),
    addChannel: ({ upstream: to = upstream, ...fields } = {}) => addChannelTo(to, fields),
    addTogether,
    addUpstream,
    option,
    ...callersOn(opened, token.key),
    ...lookups,
    verify,
    verifySettled: () =>
      eventually('no hold is open', async () => {
        await lookups.settled();
        const verified = await verify();
        return verified.checked.holds === 0 && verified;
      }),
    close() {
      closing ??= closeSite(opened);
      return closing;
    },
  };
}

/** Resources to close again. */
interface OpenedSite {
  readonly database: FreshDatabase;
  readonly folder: string;
  readonly serving: Serving;
  readonly ctx: Context;
  readonly agent: Agent;
  readonly upstreams: FakeUpstream[];
}

async function openSite(options: SiteOptions): Promise<OpenedSite> {
  const { database: engine = 'sqlite', config, now, log, through = async (dsn) => dsn } = options;
  const database = await freshDatabase(engine);
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-site-'));
  const flags = { dataDir: folder, database: await through(database.dsn), port: 0 };
  const serving = await startServer(
    // With a hold for every call, `settled` can tell when no call is in progress.
    loadConfig({ ...flags, web: false, logLevel: 'silent', strictHolds: true, ...config }, {}),
    { ...(now && { now }), ...(log && { log }) },
  );
  const agent = new Agent({ connections: 512 });
  return { database, folder, serving, ctx: serving.booted.ctx, agent, upstreams: [] };
}

async function closeSite({
  agent,
  serving,
  upstreams,
  database,
  folder,
}: OpenedSite): Promise<void> {
  await agent.destroy();
  await serving.stop();
  await Promise.all(upstreams.map((one) => one.close()));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
}

const TEN_USD = 5_000_000;
const PLAIN_ACCOUNT = {
  password: '',
  display_name: '',
  role: 1,
  email: '',
  group: 'default',
  quota: TEN_USD,
} as const;

function buildersOn({ ctx, upstreams }: OpenedSite) {
  const operator = localApi(ctx, OPERATOR);
  let made = 0;
  const next = (what: string) => {
    made += 1;
    return `${what}${made}`;
  };
  const addersOn = (on: Context): Adders => ({
    async addUser(fields = {}) {
      const account = { ...PLAIN_ACCOUNT, username: next('user'), ...fields };
      const id = await writing(on, (trx) => openAccount(trx, OPERATOR, account));
      const { username, role, group } = account;
      return { id, username, actor: { kind: 'user', id, role, group } };
    },
    addTokenTo(owner, fields) {
      const plain = { name: next('token'), unlimited_quota: fields.remain_quota === undefined };
      return localApi(on, OPERATOR).token.create({ ...plain, user: owner.id, ...fields });
    },
    addChannelTo(upstream, fields) {
      const plain = { name: next('channel'), key: UPSTREAM_KEY, models: CHANNEL_MODELS };
      const channel = { ...plain, base_url: upstream.url, ...fields };
      return localApi(on, OPERATOR).channel.create(channel);
    },
  });
  return {
    addersOn,
    async addUpstream() {
      const upstream = await startFakeUpstream({ keys: [UPSTREAM_KEY] });
      upstreams.push(upstream);
      return upstream;
    },
    option(key: string, given: OptionGiven) {
      const value = typeof given === 'object' ? JSON.stringify(given) : given;
      return operator.option.set({ key, value });
    },
  };
}

function callersOn({ serving, agent }: OpenedSite, ownKey: string) {
  const start = async (call: SiteCall): Promise<OpenAnswer> => {
    const { statusCode, headers, body } = await request(serving.url + pathOf(call), {
      dispatcher: agent,
      ...requestOf(call, ownKey),
    });
    // After a deliberate disconnect the error of an incomplete body is expected.
    body.on('error', () => undefined);
    const flat = flatHeaders(headers);
    const requestId = flat['x-request-id'] ?? '';
    return { status: statusCode, headers: flat, requestId, body, leave: () => brokenOff(body) };
  };
  const call = async (sent: SiteCall): Promise<SiteAnswer> => {
    const { body, leave: _, ...head } = await start(sent);
    const bytes = Buffer.from(await body.arrayBuffer());
    return { ...head, bytes, text: bytes.toString() };
  };
  return { start, call };
}

/** A log entry with its facts as clients get them. */
export type LoggedEntry = Omit<StoredLog, 'facts'> & { readonly other: string };

/** Database queries for tests. */
function lookupsIn(ctx: Context) {
  const logsOf = async (requestId: string): Promise<LoggedEntry[]> =>
    (await logsOfRequest(ctx.reads, requestId)).map(({ facts, ...row }) => ({
      ...row,
      other: factsText(facts),
    }));
  const openHolds = async (userId?: number) => {
    const whose = userId === undefined ? {} : { user_id: userId };
    return Number((await ctx.reads('holds').where(whose).count({ n: '*' }).first())?.n);
  };
  return {
    logsOf,
    logOf: async (requestId: string) =>
      (await logsOf(requestId)).find((row) => row.type === CONSUME),
    ledgerOf: (requestId: string) =>
      entriesByKey(ctx.reads, [`call:${requestId}`, `refund:${requestId}`]),
    chargesOf: async (userId: number) =>
      (await entries(ctx, { user_id: userId })).filter((row) => /^(call|refund):/.test(row.key)),
    balance: (userId: number) => numbersOf<UserBalance>(ctx, 'users', userId, USER_COLUMNS),
    tokenBalance: (id: number) => numbersOf<TokenBalance>(ctx, 'tokens', id, TOKEN_COLUMNS),
    async channelUsed(id: number) {
      await sumLedger(ctx);
      return (await channelUse(ctx.reads, [id])).get(id) ?? 0;
    },
    openHolds,
    async settled(userId?: number) {
      await eventually('no hold is open', async () => (await openHolds(userId)) === 0);
    },
  };
}

const CONSUME = 2;
const MOST_ENTRIES = 100_000;
const USER_COLUMNS = ['quota', 'held', 'used_quota', 'request_count'];
const TOKEN_COLUMNS = ['remain_quota', 'held', 'used_quota'];

async function entries(
  ctx: Context,
  filter: { readonly user_id: number },
): Promise<LedgerEntryRow[]> {
  const window = { offset: 0, limit: MOST_ENTRIES };
  return [...(await pageOfEntries(ctx.reads, filter, window)).rows].reverse();
}

/** Integer columns of one row; some databases return big integers as text. */
async function numbersOf<T>(ctx: Context, table: string, id: number, columns: string[]) {
  const row = await ctx.reads(table).where({ id }).first(columns);
  return Object.fromEntries(columns.map((name) => [name, Number(row?.[name])])) as T; // the given columns
}

function brokenOff(body: OpenAnswer['body']): Promise<void> {
  return new Promise((resolve) => {
    if (body.closed) resolve();
    else body.once('close', () => resolve()).destroy();
  });
}

function pathOf({ path: sent }: SiteCall): string {
  return sent ?? '/v1/chat/completions';
}

function requestOf(call: SiteCall, ownKey: string) {
  const body = call.rawBody ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const key = call.key ?? ownKey;
  return {
    method: call.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    // The timeout of the test applies instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  } as const;
}

function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]),
  );
}
