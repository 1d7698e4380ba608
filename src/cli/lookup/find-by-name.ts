/** Looks up objects by name, because people use names and calls need ids. */
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { allPages } from './paged-lists.ts';

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

/** By id, else by exact name. @throws AppError `token_missing_row`, or an error listing the ids. */
export async function findToken(cli: Cli, text: string): Promise<FoundToken> {
  const api = await cli.api();
  const token = await ifId(text, (id) => api.token.get({ id }));
  if (token !== undefined) return token;
  const query = { keyword: text, everyone: true };
  const { items } = await allPages((page) => api.token.list({ ...page, ...query }));
  const named = items.filter(({ name }) => name === text);
  requireSingle(cli, '<token>', text, named, ({ id, username }) => `${id} (${username})`);
  return named[0] ?? missing('token_missing_row', { token: text });
}

/** By id, else by exact name. @throws AppError `channel_missing`, `channel_name_ambiguous`. */
export async function findChannel(cli: Cli, text: string): Promise<Channel> {
  const { channel } = await cli.api();
  return (await ifId(text, (id) => channel.get({ id, reveal: false }))) ?? channelNamed(cli, text);
}

export function findChannels(cli: Cli, names: readonly string[]): Promise<Channel[]> {
  return Promise.all(names.map((name) => findChannel(cli, name)));
}

/** By exact name. @throws AppError `channel_missing`, `channel_name_ambiguous`. */
export async function channelNamed(cli: Cli, name: string): Promise<Channel> {
  const [channel, ...others] = await channelsNamed(await cli.api(), name);
  if (others.length > 0) throw new AppError('channel_name_ambiguous', { name });
  return channel ?? missing('channel_missing', { channel: name });
}

async function channelsNamed(api: LocalApi, name: string): Promise<Channel[]> {
  const { items } = await allPages((page) => api.channel.list({ ...page, keyword: name }));
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
  const { items } = await allPages((page) => api.redemption.list({ ...page, keyword: text }));
  const named = items.filter(({ name, key }) => name === text || key === text);
  requireSingle(cli, '<code>', text, named);
  return named[0] ?? missing('redemption_missing');
}

/** By id, else by exact title. @throws AppError `message_missing`, or an error listing the ids. */
export async function findMessage(cli: Cli, text: string): Promise<FoundMessage> {
  const api = await cli.api();
  const message = await ifId(text, (id) => api.message.get({ id }));
  if (message !== undefined) return message;
  const { items } = await allPages((page) => api.message.list({ ...page, keyword: text }));
  const named = items.filter(({ title }) => title === text);
  requireSingle(cli, '<message>', text, named);
  return named[0] ?? missing('message_missing', { id: text });
}

/** Undefined if `text` is not an id, or if no object has it. */
async function ifId<T>(text: string, get: (id: string) => Promise<T>): Promise<T | undefined> {
  return /^[1-9]\d{0,14}$/.test(text) ? unlessMissing(get(text)) : undefined;
}

/** The result of a lookup, or undefined if the object does not exist. */
export async function unlessMissing<T>(lookup: Promise<T>): Promise<T | undefined> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof AppError && error.row.kind === 'missing') return undefined;
    throw error;
  }
}

function missing(...error: ConstructorParameters<typeof AppError>): never {
  throw new AppError(...error);
}

/** Maximum number of ids in an ambiguity error: a batch of codes may have hundreds. */
const MAX_IDS = 5;

function requireSingle<T extends { readonly id: number }>(
  cli: Cli,
  argument: string,
  name: string,
  named: readonly T[],
  labelOf = ({ id }: T) => String(id),
): void {
  if (named.length < 2) return;
  const labels = named.slice(0, MAX_IDS).map(labelOf);
  const ids = [...labels, ...(named.length > MAX_IDS ? ['…'] : [])];
  throw cli.values.refuse(argument, 'ambiguous', { name, ids });
}
