/** Exports a site as the document that `apply` accepts; applied to the same site it is a no-op. */
import { pickColumns } from '../../domain/nouns/columns.ts';
import { TOKEN } from '../../domain/nouns/token.ts';
import { USER } from '../../domain/nouns/user.ts';
import { ROLES } from '../../domain/roles.ts';
import { TOKEN_STATUS, USER_STATUS } from '../../domain/statuses.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { allItems } from '../lookup/paged-lists.ts';
import { siteBudgets } from './budgets.ts';
import {
  SECTION_OF_OPTION,
  SECTIONS,
  type Section,
  SITE_FILE_VERSION,
  type SiteFileGiven,
} from './document.ts';

type Part<K extends Section> = NonNullable<SiteFileGiven[K]>;

export interface ExportOptions {
  readonly only: readonly Section[];
  /** Includes channel keys and redemption codes in clear text; without it codes are omitted. */
  readonly keys: boolean;
}

export async function siteFile(
  cli: Cli,
  api: LocalApi,
  { only, keys }: ExportOptions,
): Promise<SiteFileGiven> {
  const parts: { readonly [K in Section]: () => Promise<Part<K> | undefined> } = {
    options: () => options(api),
    groups: () => groups(api),
    prices: () => prices(api),
    users: () => users(api),
    channels: async () =>
      (await api.channelTransfer.exportAll({ keys })).channels as Part<'channels'>, // exports match the import format
    tokens: () => tokens(cli, api),
    budgets: () => siteBudgets(cli, api),
    redemptions: async () => (keys ? redemptions(api) : undefined),
  };
  const file: Record<string, unknown> = { version: SITE_FILE_VERSION };
  for (const kind of SECTIONS) {
    if (!only.includes(kind)) continue;
    const part = await parts[kind]();
    if (part !== undefined && Object.keys(part).length > 0) file[kind] = part;
  }
  return file;
}

/** Only changed options; secrets are never exported. */
async function options(api: LocalApi): Promise<Part<'options'>> {
  const changed = await api.option.list({ changed: true });
  return Object.fromEntries(
    changed.filter(({ key }) => !(key in SECTION_OF_OPTION)).map(({ key, value }) => [key, value]),
  );
}

async function groups(api: LocalApi): Promise<Part<'groups'>> {
  const items = await allItems(api.group.list);
  return items.map(({ name, ratio, selectable, label }) => ({
    name,
    ratio,
    selectable,
    ...(selectable && { label }),
  }));
}

async function prices(api: LocalApi): Promise<Part<'prices'>> {
  const items = await allItems(api.price.list);
  return items
    .filter(({ source }) => source === 'override')
    .map(({ model, rates, variants }) => ({
      model,
      rates,
      ...(variants.length > 0 && { variants }),
    }));
}

/** Without super admins, who can only be created on the machine itself, and deleted accounts. */
async function users(api: LocalApi): Promise<Part<'users'>> {
  const items = await allItems(api.user.list);
  return items
    .filter(({ role, DeletedAt }) => role < ROLES.super_admin && DeletedAt === null)
    .map((user) => ({
      ...pickColumns(USER, user),
      role: user.role >= ROLES.admin ? 'admin' : 'user',
      status: user.status === USER_STATUS.enabled ? 'enabled' : 'banned',
    }));
}

const { name: _, remain_quota: __, expired_time: ___, ...TOKEN_SETTINGS } = TOKEN;

/** Tokens of one owner with the same name are ambiguous: they are omitted and reported. */
async function tokens(cli: Cli, api: LocalApi): Promise<Part<'tokens'>> {
  const items = await allItems(api.token.list, { everyone: true });
  const counts = new Map<string, number>();
  const nameOf = (token: (typeof items)[number]) => `${token.username}/${token.name}`;
  for (const token of items) counts.set(nameOf(token), (counts.get(nameOf(token)) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1).map(([name]) => name);
  if (shared.length > 0) cli.note(cli.t('cli.notes.left_out', { names: shared }));
  return items
    .filter((token) => counts.get(nameOf(token)) === 1)
    .map((token) => ({
      name: token.name,
      user: token.username,
      expires:
        token.expired_time === -1 ? 'never' : new Date(token.expired_time * 1000).toISOString(),
      ...pickColumns(TOKEN_SETTINGS, token),
      status: token.status === TOKEN_STATUS.disabled ? 'disabled' : 'enabled',
    }));
}

/** Identified by key; used and expired codes are omitted. */
async function redemptions(api: LocalApi): Promise<Part<'redemptions'>> {
  const items = await allItems(api.redemption.list);
  return items
    .filter(({ state }) => state === 'unused' || state === 'upcoming')
    .map(({ name, quota, key, is_gift, max_uses, valid_from, valid_until }) => ({
      name,
      quota,
      key,
      ...(is_gift && { is_gift, max_uses }),
      valid_from,
      valid_until,
    }));
}
