/**
 * Names of the site's objects for shell completion: cached for a minute, because every keystroke
 * needs them, and bounded so that completion never fails or blocks.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createFolder } from '../../folders.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import type { Globals } from '../command-context.ts';
import { allItems } from '../lookup/paged-lists.ts';
import { readProfiles } from '../servers/profiles.ts';
import type { NameKind } from './candidates.ts';

const CACHE_MS = 60_000;
const MAX_WAIT_MS = 3000;

/** Reads the names; ids where names are not unique or not helpful. */
const READERS: Readonly<
  Record<Exclude<NameKind, 'profile'>, (api: LocalApi) => Promise<readonly string[]>>
> = {
  channel: async ({ channel }) => (await allItems(channel.list)).map(({ name }) => name),
  token: async ({ token }) =>
    (await allItems(token.list, { everyone: true })).map(({ name }) => name),
  user: async ({ user }) => (await allItems(user.list)).map(({ username }) => username),
  group: async ({ group }) => (await allItems(group.list)).map(({ name }) => name),
  redemption: async ({ redemption }) =>
    (await allItems(redemption.list)).map(({ id }) => String(id)),
  message: async ({ message }) => (await allItems(message.list)).map(({ id }) => String(id)),
  option: async ({ option }) => (await option.list({})).map(({ key }) => key),
  model: async ({ channel }) => channel.modelsEnabled({}),
  tag: async ({ channel }) => (await allItems(channel.list)).flatMap(({ tag }) => tag || []),
  type: async ({ channelModel }) => (await channelModel.types({})).map(({ slug }) => slug),
};

/** @param words the typed words: flags among them select the site. */
export async function completionNames(
  cli: Cli,
  kind: NameKind,
  words: readonly string[],
): Promise<readonly string[]> {
  try {
    cli.globals = { ...cli.globals, ...siteFlags(words) };
    if (kind === 'profile') return Object.keys((await readProfiles(cli.io.env)).profiles);
    const site = await siteOf(cli);
    if (site === undefined) return [];
    const file = cacheFile(cli, `${site} ${kind}`);
    const cached = readCache(file);
    if (cached !== undefined) return cached;
    const read = READERS[kind];
    const names = await Promise.race([
      cli.api().then(read),
      pause(MAX_WAIT_MS, undefined, { ref: false }),
    ]);
    if (names === undefined) return [];
    keep(file, [...new Set(names)].sort());
    return readCache(file) ?? [];
  } catch {
    // Completion has no way to show an error.
    return [];
  }
}

const SITE_FLAGS: Readonly<Record<string, keyof Globals>> = {
  '--url': 'url',
  '--profile': 'profile',
  '--db': 'db',
  '--data': 'data',
  '--user-id': 'userId',
};

function siteFlags(words: readonly string[]): Globals {
  const entries = words.flatMap((word, index) => {
    const name = SITE_FLAGS[word];
    const value = words[index + 1];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as Globals; // only flags with text values
}

/** Identifies site and caller; undefined when there is no site yet. */
async function siteOf(cli: Cli): Promise<string | undefined> {
  const server = await cli.server();
  if (server !== undefined) return `${server.url} ${server.accessToken}`;
  const { dataDir, database } = await cli.config();
  const dsn = database.open();
  // Completion must not create a database.
  return /^[a-z]+:\/\//.test(dsn) || existsSync(dsn) ? `${dataDir} ${dsn}` : undefined;
}

/** Named by a hash, because the cache key contains an access token. */
function cacheFile({ io: { env } }: Cli, site: string): string {
  const base = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache');
  const name = createHash('sha256').update(site).digest('hex').slice(0, 32);
  return path.join(base, 'ai-model-gateway', `names-${name}`);
}

function readCache(file: string): string[] | undefined {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined || Date.now() - facts.mtimeMs > CACHE_MS) return undefined;
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

/** One name per line; a name with a line break cannot be typed anyway. */
function keep(file: string, names: readonly string[]): void {
  createFolder(path.dirname(file));
  const typable = names.filter((name) => !/\p{Cc}/u.test(name));
  writeFileSync(file, typable.join('\n'), { mode: 0o600 });
}
