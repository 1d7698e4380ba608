/** What accounts have left beside their holds, according to the database. */
import type { Knex } from 'knex';
import { numberValue } from '../../store/sql/read-rows.ts';
import { chunksOf, engineOf, type Row } from '../../store/sql/sql-dialect.ts';

const MAX_IDS = 1_000;

export interface Spender {
  readonly userId: number;
  /** 0 for a token without its own limit. */
  readonly tokenId: number;
}

export function spenderName({ userId, tokenId }: Spender): string {
  return `${userId}:${tokenId}`;
}

export interface Standing {
  /** Unreserved. */
  readonly free: number;
  /** Reserved for running calls. */
  readonly held: number;
}

/** Unreserved quota of the user and the token; 0 if either does not exist. */
export async function freeQuota(reads: Knex, spender: Spender): Promise<number> {
  return (await standingOf(reads, spender)).free;
}

/** Of the user or the token, whichever has less free; nothing if either does not exist. */
export async function standingOf(reads: Knex, { userId, tokenId }: Spender): Promise<Standing> {
  const query = reads('users').where('users.id', userId);
  query.select({ ofUser: 'users.quota', heldOfUser: 'users.held' });
  if (tokenId !== 0) {
    query.join('tokens', 'tokens.id', reads.raw('?', [tokenId]));
    query.select({ ofToken: 'tokens.remain_quota', heldOfToken: 'tokens.held' });
  }
  const row: Row | undefined = await query.first();
  if (row === undefined) return { free: 0, held: 0 };
  const user = standing(row.ofUser, row.heldOfUser);
  if (tokenId === 0) return user;
  const token = standing(row.ofToken, row.heldOfToken);
  return token.free < user.free ? token : user;
}

function standing(quota: unknown, reserved: unknown): Standing {
  const held = numberValue(reserved);
  return { free: numberValue(quota) - held, held };
}

/** Those whose user or token has less than is reserved of it. */
export async function overdrawnAmong(
  reads: Knex,
  spenders: readonly Spender[],
): Promise<Set<Spender>> {
  const userIds = spenders.map(({ userId }) => userId);
  const tokenIds = spenders.flatMap(({ tokenId }) => (tokenId === 0 ? [] : tokenId));
  const users = await overdrawnIds(reads, 'users', 'quota', userIds);
  const tokens = await overdrawnIds(reads, 'tokens', 'remain_quota', tokenIds);
  return new Set(
    spenders.filter(({ userId, tokenId }) => users.has(userId) || tokens.has(tokenId)),
  );
}

async function overdrawnIds(
  reads: Knex,
  table: 'users' | 'tokens',
  balance: string,
  ids: readonly number[],
): Promise<Set<number>> {
  const overdrawn = new Set<number>();
  for (const part of chunksOf([...new Set(ids)], MAX_IDS)) {
    const query = reads(table).where(balance, '<', reads.ref('held')).select('id');
    // PostgreSQL parses and plans each value of a list, but an array only once.
    if (engineOf(reads) === 'postgres') query.whereRaw('id = any(?::bigint[])', [part]);
    else query.whereIn('id', part);
    for (const { id } of await query) overdrawn.add(Number(id));
  }
  return overdrawn;
}
