/** An entry of the ledger, as replies show it. */
import { type NounColumns, NUMBER_COLUMN, TEXT_COLUMN } from './columns.ts';

export const LEDGER_ENTRY = {
  id: NUMBER_COLUMN,
  key: TEXT_COLUMN,
  cause: TEXT_COLUMN,
  user_id: NUMBER_COLUMN,
  token_id: NUMBER_COLUMN,
  channel_id: NUMBER_COLUMN,
  user_units: NUMBER_COLUMN,
  token_units: NUMBER_COLUMN,
  channel_units: NUMBER_COLUMN,
  actor: TEXT_COLUMN,
  /** JSON text. */
  detail: TEXT_COLUMN,
  created_at: NUMBER_COLUMN,
} as const satisfies NounColumns;
