/** Rows of `alert_states`: what was reported as failing and does not work again yet. */
import type { Knex } from 'knex';
import { insertOnce } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { chunksOf } from '../sql/sql-dialect.ts';

/** A model without a working channel, or a receiver that notifications do not reach. */
export type AlertKind = 'model_down' | 'receiver';

const ALERT_STATES = rowReader({
  subject: textValue,
  /** Epoch seconds of the first failure. */
  since_at: numberValue,
  /** Of the latest failure, for `storedText`; '' = none. */
  note: textValue,
});
export type AlertState = RowOf<typeof ALERT_STATES>;

const BATCH = 500;

/** True for the first caller that reports this subject since it worked. */
export function beginAlert(
  db: Knex,
  kind: AlertKind,
  { subject, since_at, note }: AlertState,
): Promise<boolean> {
  const row = { kind, subject, since_at, note };
  return insertOnce(db, 'alert_states', row, ['kind', 'subject']);
}

/** True for the caller that reports that the subject works again. */
export async function endAlert(db: Knex, kind: AlertKind, subject: string): Promise<boolean> {
  return (await db('alert_states').where({ kind, subject }).delete()) > 0;
}

export async function noteAlert(
  db: Knex,
  kind: AlertKind,
  { subject, note }: Pick<AlertState, 'subject' | 'note'>,
): Promise<void> {
  await db('alert_states').where({ kind, subject }).update({ note });
}

/** All of a kind, or those of these subjects. */
export async function alertStates(
  db: Knex,
  kind: AlertKind,
  subjects?: readonly string[],
): Promise<AlertState[]> {
  const ofKind = () => db('alert_states').where({ kind }).orderBy('subject');
  if (subjects === undefined) return ALERT_STATES.all(ofKind());
  const states: AlertState[] = [];
  for (const part of chunksOf(subjects, BATCH))
    states.push(...(await ALERT_STATES.all(ofKind().whereIn('subject', part))));
  return states;
}
