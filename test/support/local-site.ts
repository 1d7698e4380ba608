/**
 * A gateway for tests of services: a fresh migrated database, a real context with a clock that
 * stands still, and builders that use the services.
 */
import { randomBytes } from 'node:crypto';
import type * as z from 'zod/mini';
import { NewToken } from '../../src/api/accounts/token.ts';
import { type Actor, terminalVisit } from '../../src/api/call.ts';
import { NewChannel } from '../../src/api/channels/channel.ts';
import { type ConfigFlags, loadConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { type LocalApi as Clients, localApi } from '../../src/handlers.ts';
import { createLogger } from '../../src/log.ts';
import { NO_OP_OBSERVER } from '../../src/observe/observer.ts';
import { createSecrets } from '../../src/secrets.ts';
import { openAccount } from '../../src/services/accounts/new-account.ts';
import { createLedgerWriter } from '../../src/services/billing/ledger-writer.ts';
import * as channels from '../../src/services/channels/channels.ts';
import { writing } from '../../src/services/cluster/announced-write.ts';
import { createBackground } from '../../src/services/cluster/background-queue.ts';
import { createChangeFeed } from '../../src/services/cluster/change-feed.ts';
import { createMailer } from '../../src/services/messaging/mailer.ts';
import { notifyLowBalances } from '../../src/services/messaging/notify/events.ts';
import { loadOptions } from '../../src/services/options/options.ts';
import * as tokens from '../../src/services/tokens/tokens.ts';
import type { Engine } from '../../src/store/connection/engine.ts';
import { createMemoryKv } from '../../src/store/kv/memory.ts';
import { sharedLog } from '../../src/store/logs/log-database.ts';
import { type FreshDatabase, freshDatabase } from './databases.ts';

export const OPERATOR: Actor = { kind: 'operator' };

export interface TestUser {
  readonly id: number;
  readonly username: string;
  /** The user as the actor of calls. */
  readonly actor: Actor & { readonly kind: 'user' };
}

export interface LocalSite {
  readonly ctx: Context;
  readonly databases: FreshDatabase;
  /** Advances the clock. */
  pass(seconds: number): void;
  /** Defaults: role 1, group default, balance 0 and no password. */
  aUser(fields?: Partial<Parameters<typeof openAccount>[2]>): Promise<TestUser>;
  aToken(
    owner: TestUser,
    fields?: Partial<z.output<typeof NewToken>>,
  ): ReturnType<typeof tokens.create>;
  aChannel(fields?: Partial<z.output<typeof NewChannel>>): ReturnType<typeof channels.create>;
  /**
   * Clients that act as this actor; schemas validate input and result.
   * They go on although models, groups or prices in use are affected.
   */
  as(actor: Actor): Clients;
  close(): Promise<void>;
}

export type { LocalApi as Clients } from '../../src/handlers.ts';

/** 21 November 2026, noon UTC. */
const START_MS = Date.UTC(2026, 10, 21, 12);

/** `config` has the form of command-line flags. */
export async function createLocalSite(
  kind: Engine = 'sqlite',
  config: ConfigFlags = {},
): Promise<LocalSite> {
  const databases = await freshDatabase(kind);
  let nowMs = START_MS;
  let users = 0;
  const ctx = await contextOn(databases, () => nowMs, config);
  return {
    ctx,
    databases,
    pass(seconds) {
      nowMs += seconds * 1000;
    },
    async aUser(fields = {}) {
      users += 1;
      const account = { ...PLAIN_ACCOUNT, username: `user${users}`, ...fields };
      const id = await writing(ctx, (ctx) => openAccount(ctx, OPERATOR, account));
      const { username, role, group } = account;
      return { id, username, actor: { kind: 'user', id, role, group } };
    },
    aToken: (owner, fields) =>
      tokens.create(ctx, owner.actor, { ...PLAIN_TOKEN, ...fields }, terminalVisit()),
    aChannel: (fields) =>
      channels.create(ctx, OPERATOR, { ...PLAIN_CHANNEL, ...fields }, terminalVisit()),
    as: (actor) => localApi(ctx, actor),
    async close() {
      await ctx.ledger.flush();
      await ctx.background.drain(5_000);
      ctx.mailer.close();
      await ctx.kv.close();
      await databases.drop();
    },
  };
}

async function contextOn(
  databases: FreshDatabase,
  now: () => number,
  flags: ConfigFlags,
): Promise<Context> {
  const config = loadConfig({ dataDir: '/nowhere', database: databases.dsn, ...flags }, {});
  const log = createLogger('silent');
  const kv = createMemoryKv(now);
  const secrets = createSecrets(Buffer.alloc(32, 'a test key '));
  const changes = createChangeFeed(databases.reads, {
    kv,
    signal: { send: async () => undefined, watch: () => () => undefined },
    log,
  });
  const load = () => loadOptions({ reads: databases.reads, secrets, config });
  let options = await load();
  changes.on('options', async () => {
    options = await load();
  });
  await changes.pull();
  const ctx: Context = {
    engine: databases.engine,
    db: databases.db,
    reads: databases.reads,
    logDatabase: sharedLog(databases),
    kv,
    config,
    secrets,
    options: () => options,
    changes,
    ledger: createLedgerWriter(databases, log),
    mailer: createMailer(),
    background: createBackground(log),
    log,
    observer: NO_OP_OBSERVER,
    now,
    random: randomBytes,
    node: 'test-node',
    version: '0.0.0-test',
  };
  notifyLowBalances(ctx);
  return ctx;
}

const PLAIN_ACCOUNT = {
  password: '',
  display_name: '',
  role: 1,
  email: '',
  group: 'default',
  quota: 0,
} as const;

const PLAIN_TOKEN = NewToken.parse({ name: 'a token', remain_quota: 0 });

const PLAIN_CHANNEL = NewChannel.parse({
  name: 'a channel',
  key: 'sk-upstream-key-1',
  models: 'gpt-4o',
});
