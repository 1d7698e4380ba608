/** Looks up objects by name, because people use names and calls need ids. */
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { allItems } from './paged-lists.ts';

export type User = Awaited<ReturnType<LocalApi['user']['get']>>;
export type FoundToken = Awaited<ReturnType<LocalApi['token']['get']>>;
export type Channel = Awaited<ReturnType<LocalApi['channel']['get']>>;
export type FoundMessage = Awaited<ReturnType<LocalApi['message']['get']>>;
export type Redemption = Awaited<ReturnType<LocalApi['redemption']['get']>>;

/** By id, else by username; a username may consist of digits. @throws AppError `user_missing`. */
export async function findUser(cli: Cli, text: string): Promise<User> {
  const { user } = await cli.api();
  return (await ifId(text, (id) => user.get({ id }))) ?? user.getByName({ username: text });
}

/** Undefined without such a user. */
export function userNamed(api: LocalApi, username: string): Promise<User | undefined> {
  return unlessMissing(api.user.getByName({ username }));
}

/** By id, else by exact name. @throws AppError `token_missing_row`, or an error listing the ids. */
export async function findToken(cli: Cli, text: string): Promise<FoundToken> {
  const api = await cli.api();
  const token = await ifId(text, (id) => api.token.get({ id }));
  if (token !== undefined) return token;
  const named = await tokensNamed(api, text, { everyone: true });
  const labelOf = ({ id, username }: FoundToken) => `${id} (${username})`;
  return (
    single(cli, '<token>', text, named, labelOf) ?? missing('token_missing_row', { token: text })
  );
}

export async function tokensNamed(
  api: LocalApi,
  text: string,
  owners: { readonly everyone: true } | { readonly user: number | undefined },
): Promise<FoundToken[]> {
  const items = await allItems(api.token.list, { keyword: text, ...owners });
  return items.filter(({ name }) => name === text);
}

/** By id, else by exact name. @throws AppError `channel_missing`, `channel_name_ambiguous`. */
export async function findChannel(cli: Cli, text: string): Promise<Channel> {
  const { channel } = await cli.api();
  return (await ifId(text, (id) => channel.get({ id, reveal: false }))) ?? channelNamed(cli, text);
}

export function findChannels(cli: Cli, names: readonly string[]): Promise<Channel[]> {
  return Promise.all(names.map((name) => findChannel(cli, name)));
}

/** The named channels; without names those that the filters select. */
export async function channelsOf(
  cli: Cli,
  names: readonly string[],
  filters: Parameters<LocalApi['channel']['list']>[0],
): Promise<readonly Channel[]> {
  if (names.length > 0) return findChannels(cli, names);
  return allItems((await cli.api()).channel.list, filters);
}

/** By exact name. @throws AppError `channel_missing`, `channel_name_ambiguous`. */
async function channelNamed(cli: Cli, name: string): Promise<Channel> {
  const [channel, ...others] = await channelsNamed(await cli.api(), name);
  if (others.length > 0) throw new AppError('channel_name_ambiguous', { name });
  return channel ?? missing('channel_missing', { channel: name });
}

export async function channelsNamed(api: LocalApi, name: string): Promise<Channel[]> {
  const items = await allItems(api.channel.list, { keyword: name });
  return items.filter((channel) => channel.name === name);
}

/** Uses the same lookup as other commands. @throws AppError `channel_name_taken`. */
export async function requireFreeName(cli: Cli, name: string): Promise<void> {
  const [channel] = await channelsNamed(await cli.api(), name);
  if (channel !== undefined)
    throw new AppError('channel_name_taken', { name, id: channel.id }, { param: '--name' });
}

/**
 * By id, else by exact name or key.
 * @throws AppError `redemption_missing`, or an error listing the ids.
 */
export async function findRedemption(cli: Cli, text: string): Promise<Redemption> {
  const api = await cli.api();
  const code = await ifId(text, (id) => api.redemption.get({ id }));
  if (code !== undefined) return code;
  const named = await codesWhere(api, text, ({ name, key }) => name === text || key === text);
  return single(cli, '<code>', text, named) ?? missing('redemption_missing');
}

/** @param text a name or a key, of all the codes sought. */
export async function codesWhere(
  api: LocalApi,
  text: string,
  isSought: (code: Redemption) => boolean,
): Promise<Redemption[]> {
  const items = await allItems(api.redemption.list, { keyword: text });
  return items.filter(isSought);
}

/** By id, else by exact title. @throws AppError `message_missing`, or an error listing the ids. */
export async function findMessage(cli: Cli, text: string): Promise<FoundMessage> {
  const api = await cli.api();
  const message = await ifId(text, (id) => api.message.get({ id }));
  if (message !== undefined) return message;
  const named = await messagesTitled(api, text);
  return single(cli, '<message>', text, named) ?? missing('message_missing', { id: text });
}

export async function messagesTitled(api: LocalApi, text: string): Promise<FoundMessage[]> {
  const items = await allItems(api.message.list, { keyword: text });
  return items.filter(({ title }) => title === text);
}

/** Undefined if `text` is not an id, or if no object has it. */
export async function ifId<T>(
  text: string,
  get: (id: string) => Promise<T>,
): Promise<T | undefined> {
  return /^[1-9]\d{0,14}$/.test(text) ? unlessMissing(get(text)) : undefined;
}

/** The result of a lookup, or undefined if the object does not exist. */
async function unlessMissing<T>(lookup: Promise<T>): Promise<T | undefined> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof AppError && error.row.kind === 'missing') return undefined;
    throw error;
  }
}

export function missing(...error: ConstructorParameters<typeof AppError>): never {
  throw new AppError(...error);
}

/** Maximum number of ids in an ambiguity error: a batch of codes may have hundreds. */
const MAX_IDS = 5;

/**
 * The only one of `named`, or undefined without any.
 * @param argument names the input that several objects fit.
 */
export function single<T extends object>(
  cli: Cli,
  argument: string,
  name: string,
  named: readonly T[],
  labelOf: (item: T) => string = idOf,
): T | undefined {
  if (named.length < 2) return named[0];
  const labels = named.slice(0, MAX_IDS).map(labelOf);
  const ids = [...labels, ...(named.length > MAX_IDS ? ['…'] : [])];
  throw cli.values.refuse(argument, 'ambiguous', { name, ids });
}

function idOf(item: object): string {
  return 'id' in item ? String(item.id) : '';
}
