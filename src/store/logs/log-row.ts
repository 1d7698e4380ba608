/** The columns of the usage log. */
import { COUNTED_COLUMNS } from '../../domain/logs/log-hours.ts';
import {
  columnReaders,
  nullableNumberValue,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { booleanValue } from '../sql/sql-dialect.ts';

/** How the columns that are counted are read. */
export const COUNTED_READERS = { ...columnReaders(COUNTED_COLUMNS), cost: nullableNumberValue };

export const LOG_COLUMNS = {
  ...COUNTED_READERS,
  request_id: textValue,
  content: textValue,
  is_stream: booleanValue,
  token_id: numberValue,
  client_ip: textValue,
  usage_source: textValue,
  /** JSON text, see docs/logs.md. */
  other: textValue,
} as const;
export const LOG_ROWS = rowReader(LOG_COLUMNS);
export type LogRow = RowOf<typeof LOG_ROWS>;

/** A row about no call: what is not set is empty. */
export const EMPTY_LOG_ROW: LogRow = LOG_ROWS.read({});
