/**
 * Keeps the items of answers that no upstream stores, because they were translated, so that the
 * next request of the conversation can refer to them. Encrypted, and bounded for each user: the
 * oldest answers give way.
 */
import { type Context, nowSec } from '../../context.ts';
import { isObject, type JsonObject, objectsIn, parseJson } from '../../json/read-json.ts';
import {
  deleteKeptAnswersUpTo,
  findKeptAnswers,
  insertKeptAnswer,
  keptByUser,
  newestKeptAnswers,
  sizesOfKeptAnswers,
} from '../../store/tables/kept-answers-table.ts';
import { RETENTION_SEC } from './stored-responses.ts';

/** What one user may keep, and the part of it that stays when the oldest answers are dropped. */
interface KeepingLimits {
  readonly answers: number;
  readonly bytes: number;
}

const KEEPING_LIMITS: KeepingLimits = { answers: 5_000, bytes: 32 * 1024 * 1024 };
const LEFT_AFTER_DROP = 3 / 4;
/** An answer with more, such as one with several images, is not kept. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Keeps the items of the answer to this request, if they are not too long. */
export async function keepAnswer(
  ctx: Context,
  userId: number,
  requestId: string,
  items: readonly JsonObject[],
  limits = KEEPING_LIMITS,
): Promise<void> {
  const text = JSON.stringify({ items });
  const bytes = Buffer.byteLength(text);
  if (items.length === 0 || bytes > MAX_ANSWER_BYTES) return;
  await insertKeptAnswer(ctx.db, {
    request_id: requestId,
    user_id: userId,
    items: ctx.secrets.encrypt(text),
    bytes,
    expires_at: nowSec(ctx) + RETENTION_SEC,
  });
  await dropOldest(ctx, userId, limits);
}

/** Drops more than it must, so that it need not look at every answer each time. */
async function dropOldest(ctx: Context, userId: number, limits: KeepingLimits): Promise<void> {
  const kept = await keptByUser(ctx.db, userId);
  if (kept.count <= limits.answers && kept.bytes <= limits.bytes) return;
  let count = 0;
  let bytes = 0;
  for (const answer of await newestKeptAnswers(ctx.db, userId)) {
    count += 1;
    bytes += answer.bytes;
    const isOver =
      count > limits.answers * LEFT_AFTER_DROP || bytes > limits.bytes * LEFT_AFTER_DROP;
    if (isOver) return deleteKeptAnswersUpTo(ctx.db, userId, answer.request_id);
  }
}

/** Bytes of those of these answers that are kept for the user, together. */
export async function bytesOfKept(
  ctx: Context,
  userId: number,
  requestIds: readonly string[],
): Promise<number> {
  const rows = await sizesOfKeptAnswers(ctx.db, userId, requestIds, nowSec(ctx));
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The items of these answers, if they are kept for the user. */
export async function keptItemsOf(
  ctx: Context,
  userId: number,
  requestIds: readonly string[],
): Promise<readonly JsonObject[]> {
  const rows = await findKeptAnswers(ctx.db, userId, requestIds);
  return rows.flatMap(({ items }) => {
    const kept = parseJson(ctx.secrets.decrypt(items));
    return isObject(kept) ? objectsIn(kept, 'items') : [];
  });
}
