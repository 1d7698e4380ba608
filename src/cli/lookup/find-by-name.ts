/** Looks up objects by name, because people use names and calls need ids. */
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { everyPage } from './paged-lists.ts';

export type User = Awaited<ReturnType<LocalApi['user']['get']>>;
export type Token = Awaited<ReturnType<LocalApi['token']['get']>>;
export type Channel = Awaited<ReturnType<LocalApi['channel']['get']>>;
export type Message = Awaited<ReturnType<LocalApi['message']['get']>>;
export type Redemption = Awaited<ReturnType<LocalApi['redemption']['get']>>;

/** By id, else by username; a username may consist of digits. @throws AppError `user_missing`. */
export async function findUser(cli: Cli, text: string): Promise<User> {
  const api = await cli.api();
  if (isId(text)) {
    const user = await orMissing(api.user.get({ id: text }), 'user_missing');
    if (user !== undefined) return user;
  }
  return api.user.getByName({ username: text });
}

/** By id, else by exact name. @throws AppError `token_missing_row`, or an error listing the ids. */
export async function findToken(cli: Cli, text: string): Promise<Token> {
  const api = await cli.api();
  if (isId(text)) {
    const token = await orMissing(api.token.get({ id: text }), 'token_missing_row');
    if (token !== undefined) return token;
  }
  const { items } = await everyPage((page) =>
    api.token.list({ ...page, keyword: text, everyone: true }),
  );
  const [token, ...others] = items.filter(({ name }) => name === text);
  if (token === undefined) throw new AppError('token_missing_row', { token: text });
  if (others.length === 0) return token;
  const ids = [token, ...others].map(({ id, username }) => `${id} (${username})`).join(', ');
  throw cli.values.refuse('<token>', 'ambiguous', { name: text, ids });
}

/** By id, else by exact name. @throws AppError `channel_missing`, `channel_name_ambiguous`. */
export async function findChannel(cli: Cli, text: string): Promise<Channel> {
  const api = await cli.api();
  if (isId(text)) {
    const channel = await orMissing(api.channel.get({ id: text }), 'channel_missing');
    if (channel !== undefined) return channel;
  }
  return channelNamed(cli, text);
}

/** By exact name. @throws AppError `channel_missing`, `channel_name_ambiguous`. */
export async function channelNamed(cli: Cli, name: string): Promise<Channel> {
  const [channel, ...others] = await channelsNamed(await cli.api(), name);
  if (channel === undefined) throw new AppError('channel_missing', { channel: name });
  if (others.length > 0) throw new AppError('channel_name_ambiguous', { name });
  return channel;
}

async function channelsNamed(api: LocalApi, name: string): Promise<Channel[]> {
  const { items } = await everyPage((page) => api.channel.list({ ...page, keyword: name }));
  return items.filter((channel) => channel.name === name);
}

/** Uses the same lookup as other commands. @throws AppError `channel_name_taken`. */
export async function requireFreeName(cli: Cli, name: string): Promise<void> {
  const [channel] = await channelsNamed(await cli.api(), name);
  if (channel !== undefined)
    throw new AppError('channel_name_taken', { name, id: channel.id }, { param: '--name' });
}

/** The result of `find`, or undefined when nothing was found. */
export async function found<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof AppError && error.row.kind === 'missing') return undefined;
    throw error;
  }
}

/** Maximum number of ids in an ambiguity error: a batch may have hundreds. */
const NAMED_IDS = 5;

/**
 * By id, else by exact name or key.
 * @throws AppError `redemption_missing`, or an error listing the ids.
 */
export async function findRedemption(cli: Cli, text: string): Promise<Redemption> {
  const api = await cli.api();
  if (isId(text)) {
    const code = await orMissing(api.redemption.get({ id: text }), 'redemption_missing');
    if (code !== undefined) return code;
  }
  const { items } = await everyPage((page) => api.redemption.list({ ...page, keyword: text }));
  const [code, ...others] = items.filter(({ name, key }) => name === text || key === text);
  if (code === undefined) throw new AppError('redemption_missing');
  if (others.length === 0) return code;
  const known = [code, ...others].slice(0, NAMED_IDS).map(({ id }) => id);
  const ids = others.length < NAMED_IDS ? known.join(', ') : `${known.join(', ')}, …`;
  throw cli.values.refuse('<code>', 'ambiguous', { name: text, ids });
}

/** By id, else by exact title. @throws AppError `message_missing`, or an error listing the ids. */
export async function findMessage(cli: Cli, text: string): Promise<Message> {
  const api = await cli.api();
  if (isId(text)) {
    const message = await orMissing(api.message.get({ id: text }), 'message_missing');
    if (message !== undefined) return message;
  }
  const { items } = await everyPage((page) => api.message.list({ ...page, keyword: text }));
  const [message, ...others] = items.filter(({ title }) => title === text);
  if (message === undefined) throw new AppError('message_missing', { id: text });
  if (others.length === 0) return message;
  const ids = [message, ...others].map(({ id }) => id).join(', ');
  throw cli.values.refuse('<message>', 'ambiguous', { name: text, ids });
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

async function orMissing<T>(asked: Promise<T>, missing: string): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && error.code === missing) return undefined;
    throw error;
  }
}
