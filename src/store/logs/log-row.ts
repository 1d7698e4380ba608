/** The columns of the usage log. */
import {
  nullableNumberValue,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { booleanValue } from '../sql/sql-dialect.ts';

/** What the figures of the log count. */
export const COUNTED_COLUMNS = {
  user_id: numberValue,
  username: textValue,
  created_at: numberValue,
  type: numberValue,
  token_name: textValue,
  model_name: textValue,
  channel_id: numberValue,
  group: textValue,
  quota: numberValue,
  /** What the upstream charged for the call, in units; null if it is unknown. */
  cost: nullableNumberValue,
  prompt_tokens: numberValue,
  completion_tokens: numberValue,
  use_time: numberValue,
  use_time_ms: numberValue,
  first_token_ms: numberValue,
} as const;

export const LOG_COLUMNS = {
  ...COUNTED_COLUMNS,
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
