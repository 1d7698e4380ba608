/**
 * Rows of `kept_answers`: the items of one translated answer, until they expire. Request ids sort by
 * time, so the first of a user are the oldest.
 */
import type { Knex } from 'knex';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

const ANSWERS = rowReader({
  request_id: textValue,
  user_id: numberValue,
  /** Encrypted JSON. */
  items: textValue,
  /** Bytes of that JSON. */
  bytes: numberValue,
  /** Epoch seconds. */
  expires_at: numberValue,
});
export type KeptAnswerRow = RowOf<typeof ANSWERS>;

const SIZES = rowReader({ request_id: textValue, bytes: numberValue });
export type KeptAnswerSize = RowOf<typeof SIZES>;

export async function insertKeptAnswer(db: Knex, row: KeptAnswerRow): Promise<void> {
  await db('kept_answers').insert(row);
}

/** The sizes of those of the user's answers that have not expired at `nowSec`. */
export function sizesOfKeptAnswers(
  db: Knex,
  userId: number,
  requestIds: readonly string[],
  nowSec: number,
): Promise<readonly KeptAnswerSize[]> {
  return SIZES.all(wanted(db, userId, requestIds).where('expires_at', '>', nowSec));
}

export function findKeptAnswers(
  db: Knex,
  userId: number,
  requestIds: readonly string[],
): Promise<readonly KeptAnswerRow[]> {
  return ANSWERS.all(wanted(db, userId, requestIds));
}

function wanted(db: Knex, userId: number, requestIds: readonly string[]): Knex.QueryBuilder {
  return db('kept_answers').where({ user_id: userId }).whereIn('request_id', requestIds);
}

/** The number of the user's answers, and their bytes. */
export async function keptByUser(
  db: Knex,
  userId: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const [row] = await db('kept_answers')
    .where({ user_id: userId })
    .count({ count: '*' })
    .sum({ bytes: 'bytes' });
  return { count: numberValue(row?.count), bytes: numberValue(row?.bytes) };
}

/** The sizes of all answers of the user, newest first. */
export function newestKeptAnswers(db: Knex, userId: number): Promise<readonly KeptAnswerSize[]> {
  return SIZES.all(db('kept_answers').where({ user_id: userId }).orderBy('request_id', 'desc'));
}

/** Deletes the user's answers up to this one. */
export async function deleteKeptAnswersUpTo(
  db: Knex,
  userId: number,
  requestId: string,
): Promise<void> {
  await db('kept_answers').where({ user_id: userId }).where('request_id', '<=', requestId).delete();
}

export async function deleteKeptAnswersOf(db: Knex, userId: number): Promise<void> {
  await db('kept_answers').where({ user_id: userId }).delete();
}
