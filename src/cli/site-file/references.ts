/** Finds what a document names but neither contains nor finds on the site, before anything is written. */
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isAutoGroup, mayUseGroup } from '../../domain/groups.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import type { LocalApi } from '../../session/session.ts';
import { unlessMissing } from '../lookup/find-by-name.ts';
import { allPages } from '../lookup/paged-lists.ts';
import type { Section, SiteFile } from './document.ts';
import { unservedModels } from './served-models.ts';

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
  const [{ items }, auto] = await Promise.all([
    allPages((page) => api.group.list(page)),
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
      const user = await unlessMissing(api.user.getByName({ username }));
      if (user === undefined && !inDocument.has(username)) return [];
      const group = inDocument.get(username) ?? user?.group ?? DEFAULT_GROUP;
      return [[username, group] as const];
    }),
  );
  return new Map(found.flat());
}
