/** Answers that upstreams keep for their clients: which channel and key can be asked for one again. */
import { createHash } from 'node:crypto';
import { type Context, nowSec } from '../../context.ts';
import { dropStored, findStored, putStored } from '../../store/tables/stored-responses-table.ts';

/** As long as OpenAI keeps a response (developers.openai.com, "Your data"). */
const KEPT_SEC = 30 * 86_400;
/** Ids of one answer that are remembered: more items than that nobody refers to. */
const MAX_IDS = 64;
const MAX_MODEL_CHARS = 191;

export interface Keeper {
  readonly channelId: number;
  readonly keyId: number;
  readonly model: string;
}

/** Remembers who keeps the answer and its items. */
export async function keep(
  ctx: Context,
  userId: number,
  ids: readonly string[],
  { channelId, keyId, model }: Keeper,
): Promise<void> {
  const hashes = new Set(ids.slice(0, MAX_IDS).map(hashOf));
  if (hashes.size === 0) return;
  const rows = [...hashes].map((id_hash) => ({
    user_id: userId,
    id_hash,
    channel_id: channelId,
    key_id: keyId,
    model: model.slice(0, MAX_MODEL_CHARS),
    expires_at: nowSec(ctx) + KEPT_SEC,
  }));
  await putStored(ctx.db, rows);
}

/** Who keeps each id, in their order; undefined for one that is not the user's, or is forgotten. */
export async function keepersOf(
  ctx: Context,
  userId: number,
  ids: readonly string[],
): Promise<readonly (Keeper | undefined)[]> {
  const hashes = ids.map(hashOf);
  const rows = await findStored(ctx.db, userId, [...new Set(hashes)], nowSec(ctx));
  return hashes.map((hash) => {
    const row = rows.find(({ id_hash }) => id_hash === hash);
    return row && { channelId: row.channel_id, keyId: row.key_id, model: row.model };
  });
}

export async function forget(ctx: Context, userId: number, id: string): Promise<void> {
  await dropStored(ctx.db, userId, hashOf(id));
}

/** Vendors differ in how long an id is. */
export function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
