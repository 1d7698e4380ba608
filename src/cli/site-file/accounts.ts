/** Plans the users, tokens and redemption codes of a document. */
import { gathered } from '../../domain/errors/input-problems.ts';
import { ROLES } from '../../domain/roles.ts';
import { TOKEN_STATUS, USER_STATUS } from '../../domain/statuses.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { tokensNamed, type User, userNamed } from '../lookup/find-by-name.ts';
import type { SiteToken, SiteUser } from './document.ts';
import { secretFrom } from './secrets.ts';
import { type Step, stepOf } from './step.ts';

export async function userSteps(
  cli: Cli,
  api: LocalApi,
  entries: readonly SiteUser[],
): Promise<Step[]> {
  return gathered(
    entries.map(async (entry, index) => {
      const user = await userNamed(api, entry.username);
      return user === undefined
        ? newUser(cli, entry, `users.${index}`)
        : changedUser(cli, entry, user, `users.${index}`);
    }),
  );
}

function newUser(cli: Cli, entry: SiteUser, location: string): Step {
  const { passwordFrom, role, status, ...fields } = entry;
  if (passwordFrom === undefined)
    throw cli.values.refuse(`${location}.passwordFrom`, 'needed_for_new', { name: entry.username });
  const password = secretFrom(cli, passwordFrom, `${location}.passwordFrom`);
  const { username, ...wanted } = { ...fields, role, status };
  return stepOf({ noun: 'user', name: username }, undefined, wanted, async (api) => {
    const made = await api.user.create({
      ...fields,
      password,
      ...(role === 'admin' && { role: ROLES.admin }),
    });
    if (status === 'banned') await api.user.manage({ id: made.id, action: 'disable' });
  });
}

function changedUser(cli: Cli, entry: SiteUser, user: User, location: string): Step {
  const { username, passwordFrom: _, quota: __, role, status, ...fields } = entry;
  if (role !== undefined && user.role === ROLES.super_admin)
    throw cli.values.refuse(`${location}.role`, 'super_admin_stays', { name: username });
  const now = {
    ...user,
    role: user.role >= ROLES.admin ? 'admin' : 'user',
    status: user.status === USER_STATUS.enabled ? 'enabled' : 'banned',
  };
  const wanted = { ...fields, role, status };
  return stepOf({ noun: 'user', name: username }, now, wanted, async (api) => {
    const { id } = user;
    if (Object.values(fields).some((value) => value !== undefined))
      await api.user.edit({ id, ...fields });
    if (role !== undefined && role !== now.role)
      await api.user.manage({ id, action: role === 'admin' ? 'promote' : 'demote' });
    if (status !== undefined && status !== now.status)
      await api.user.manage({ id, action: status === 'enabled' ? 'enable' : 'disable' });
  });
}

export async function tokenSteps(
  cli: Cli,
  api: LocalApi,
  entries: readonly SiteToken[],
): Promise<Step[]> {
  return gathered(entries.map((entry, index) => tokenStep(cli, api, entry, `tokens.${index}`)));
}

async function tokenStep(
  cli: Cli,
  api: LocalApi,
  entry: SiteToken,
  location: string,
): Promise<Step> {
  const { name, user: username, expires, status, remain_quota, ...others } = entry;
  const fields = { ...others, ...expiry(cli, expires, `${location}.expires`) };
  const owner = await userNamed(api, username);
  const token =
    owner === undefined ? undefined : await tokenNamed(cli, api, owner.id, name, location);
  const line = { noun: 'token', name: `${username}/${name}` };
  if (token === undefined)
    return stepOf(line, undefined, { ...fields, remain_quota, status }, async (api) => {
      const { id } = await api.user.getByName({ username });
      const made = await api.token.create({ name, user: id, remain_quota, ...fields });
      if (status === 'disabled') await api.token.setStatus({ id: made.id, status: 2 });
    });
  const { id } = token;
  const now = {
    ...token,
    status: token.status === TOKEN_STATUS.disabled ? 'disabled' : 'enabled',
  };
  return stepOf(line, now, { ...fields, status }, (api) =>
    api.token.edit({
      id,
      ...fields,
      ...(status !== undefined &&
        status !== now.status && { status: status === 'enabled' ? 1 : 2 }),
    }),
  );
}

function expiry(cli: Cli, text: string | undefined, location: string): { expired_time?: number } {
  if (text === undefined) return {};
  if (text !== 'never' && !/^\d{4}-\d{2}-\d{2}/.test(text))
    throw cli.values.refuse(location, 'time');
  return { expired_time: cli.values.expiry(location, text) };
}

async function tokenNamed(cli: Cli, api: LocalApi, user: number, name: string, location: string) {
  const [token, ...others] = await tokensNamed(api, name, { user });
  if (others.length === 0) return token;
  const ids = [token, ...others].map((one) => String(one?.id));
  throw cli.values.refuse(location, 'ambiguous', { name, ids });
}
