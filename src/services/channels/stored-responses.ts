/** Maps responses stored at upstreams to the channel and key that can retrieve them. */
import { createHash } from 'node:crypto';
import { type Context, nowSec } from '../../context.ts';
import {
  deleteStoredResponse,
  findStoredResponses,
  saveStoredResponses,
} from '../../store/tables/stored-responses-table.ts';

/** OpenAI's retention period for a response (developers.openai.com, "Your data"). */
export const RETENTION_SEC = 30 * 86_400;
/** Most ids kept per response; clients do not refer to more items. */
const MAX_IDS = 64;
const MAX_MODEL_CHARS = 191;

export interface ResponseOrigin {
  readonly channelId: number;
  readonly keyId: number;
  readonly model: string;
}

/** Records the channel and key that store the response and its items. */
export async function saveResponseOrigin(
  ctx: Context,
  userId: number,
  ids: readonly string[],
  { channelId, keyId, model }: ResponseOrigin,
): Promise<void> {
  const hashes = new Set(ids.slice(0, MAX_IDS).map(responseIdHash));
  if (hashes.size === 0) return;
  const rows = [...hashes].map((id_hash) => ({
    user_id: userId,
    id_hash,
    channel_id: channelId,
    key_id: keyId,
    model: model.slice(0, MAX_MODEL_CHARS),
    expires_at: nowSec(ctx) + RETENTION_SEC,
  }));
  await saveStoredResponses(ctx.db, rows);
}

/** The channel and key of each id, in order; undefined if it is expired or another user's. */
export async function responseOriginsOf(
  ctx: Context,
  userId: number,
  ids: readonly string[],
): Promise<readonly (ResponseOrigin | undefined)[]> {
  const hashes = ids.map(responseIdHash);
  const rows = await findStoredResponses(ctx.db, userId, [...new Set(hashes)], nowSec(ctx));
  return hashes.map((hash) => {
    const row = rows.find(({ id_hash }) => id_hash === hash);
    return row && { channelId: row.channel_id, keyId: row.key_id, model: row.model };
  });
}

export async function deleteResponseOrigin(
  ctx: Context,
  userId: number,
  id: string,
): Promise<void> {
  await deleteStoredResponse(ctx.db, userId, responseIdHash(id));
}

/** Hashed because vendors' ids differ in length. */
export function responseIdHash(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
