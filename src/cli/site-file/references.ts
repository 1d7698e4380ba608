/** Finds what a document names but neither contains nor finds on the site, before anything is written. */

import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isAutoGroup, mayUseGroup } from '../../domain/groups.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import type { LocalApi } from '../../session/session.ts';
import { tokensNamed, userNamed } from '../lookup/find-by-name.ts';
import { allItems } from '../lookup/paged-lists.ts';
import type { Section, SiteChannel, SiteFile, SiteToken } from './document.ts';

/** The part of the document that is applied. */
type Applied = Pick<SiteFile, 'groups' | 'users' | 'tokens' | 'options' | 'channels'>;

/** The problems with users, groups and models that entries name; the server checks channels. */
export async function unknownReferences(
  api: LocalApi,
  file: SiteFile,
  only: readonly Section[],
): Promise<AppError[]> {
  const applied: Applied = Object.fromEntries(
    Object.entries(file).filter(([kind]) => only.some((section) => section === kind)),
  );
  const { users = [], tokens = [], channels = [] } = applied;
  if (users.length + tokens.length === 0) return [];
  const groups = await groupsOf(api, applied);
  const groupOf = await ownerGroups(api, applied);
  const ofUsers = users.flatMap(({ group }, index) =>
    group === undefined || groups.names.has(group)
      ? []
      : [new AppError('group_missing', { group }, { param: `users.${index}.group` })],
  );
  const ofTokens = tokens.flatMap(({ user, group }, index) => {
    const own = groupOf.get(user);
    if (own === undefined)
      return [new AppError('user_missing', { user }, { param: `tokens.${index}.user` })];
    if (!group || groups.mayUse(own, group)) return [];
    const params = { group, username: user };
    return [invalidInput(`tokens.${index}.group`, 'group_not_usable', params)];
  });
  const ofModels = await unservedModels(api, channels, tokens, ({ user }, group) => {
    const own = groupOf.get(user);
    // An unknown owner is the problem then.
    return own === undefined || groups.mayUse(own, group);
  });
  return [...ofUsers, ...ofTokens, ...ofModels];
}

async function groupsOf(api: LocalApi, { groups = [], options = {} }: Applied) {
  const [items, auto] = await Promise.all([
    allItems(api.group.list),
    api.option.get({ key: AUTO }),
  ]);
  const known = new Map(items.map(({ name, selectable }) => [name, selectable]));
  for (const { name, selectable } of groups)
    known.set(name, selectable ?? known.get(name) ?? false);
  const selectable = [...known].filter(([, isSelectable]) => isSelectable);
  const labels = Object.fromEntries(selectable.map(([name]) => [name, name]));
  const given = options[AUTO] ?? auto.value;
  const automatic = Object.values(typeof given === 'string' ? parsedObject(given) : given);
  return {
    names: new Set(known.keys()),
    mayUse: (own: string, group: string) =>
      isAutoGroup(automatic.map(String), group) ||
      (known.has(group) && mayUseGroup(labels, own, group)),
  };
}

const AUTO = 'AutoGroups';
const DEFAULT_GROUP = 'default';

/** The group of every owner of a token, in the document or else on the site; no entry for an unknown one. */
async function ownerGroups(
  api: LocalApi,
  { users = [], tokens = [] }: Applied,
): Promise<Map<string, string>> {
  const inDocument = new Map(users.map(({ username, group }) => [username, group]));
  const found = await Promise.all(
    [...new Set(tokens.map(({ user }) => user))].map(async (username) => {
      const user = await userNamed(api, username);
      if (user === undefined && !inDocument.has(username)) return [];
      const group = inDocument.get(username) ?? user?.group ?? DEFAULT_GROUP;
      return [[username, group] as const];
    }),
  );
  return new Map(found.flat());
}

interface Offer {
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly prefix: string;
}

/** @param mayUse whether the owner of a token may use a group. */
async function unservedModels(
  api: LocalApi,
  channels: readonly SiteChannel[],
  tokens: readonly SiteToken[],
  mayUse: (token: SiteToken, group: string) => boolean,
): Promise<AppError[]> {
  if (tokens.every(({ model_limits: models }) => !models)) return [];
  const offers = await offersOf(api, channels);
  const problems = await Promise.all(
    tokens.map(async (token, index) => {
      const known = new Set(
        offers
          .filter(({ groups }) => groups.some((group) => mayUse(token, group)))
          .flatMap(({ models, prefix }) => models.map((model) => prefix + model)),
      );
      const model = splitList(token.model_limits ?? '').find(
        (name) => !known.has(name) && !known.has(lookupName(name)),
      );
      if (model === undefined || (await isStored(api, token))) return [];
      return [invalidInput(`tokens.${index}.model_limits`, 'model_unserved', { model })];
    }),
  );
  return problems.flat();
}

/** What the channels will offer: those of the site, as the document changes and adds them. */
async function offersOf(api: LocalApi, channels: readonly SiteChannel[]): Promise<Offer[]> {
  const offers = new Map<string | number, Offer>();
  const ids = new Map<string, string | number>();
  for (const channel of (await api.channelTransfer.exportAll({})).channels) {
    const { id, name, models, group: groups, model_prefix: prefix = '' } = channel;
    ids.set(name, id ?? name);
    offers.set(id ?? name, { models, groups, prefix });
  }
  for (const { id, name, models, group, groups, model_prefix } of channels) {
    const key = id ?? ids.get(name) ?? name;
    const before = offers.get(key);
    const named = group ?? groups;
    offers.set(key, {
      models: models === undefined ? (before?.models ?? []) : splitList(models),
      groups: named === undefined ? (before?.groups ?? ['default']) : splitList(named),
      prefix: model_prefix ?? before?.prefix ?? '',
    });
  }
  return [...offers.values()];
}

/** Limits that stay as they are stored are not checked again. */
async function isStored(api: LocalApi, { user, name, model_limits }: SiteToken): Promise<boolean> {
  const owner = await userNamed(api, user);
  if (owner === undefined) return false;
  const tokens = await tokensNamed(api, name, { user: owner.id });
  return tokens.some((token) => token.model_limits === model_limits);
}
