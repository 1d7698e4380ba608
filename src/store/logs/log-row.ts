/** The columns of the usage log. */
import {
  nullableNumberValue,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { booleanValue } from '../sql/sql-dialect.ts';

export const LOG_ROWS = rowReader({
  request_id: textValue,
  user_id: numberValue,
  created_at: numberValue,
  type: numberValue,
  content: textValue,
  username: textValue,
  token_name: textValue,
  model_name: textValue,
  quota: numberValue,
  /** What the upstream charged for the call, in units; null if it is unknown. */
  cost: nullableNumberValue,
  prompt_tokens: numberValue,
  completion_tokens: numberValue,
  use_time: numberValue,
  use_time_ms: numberValue,
  first_token_ms: numberValue,
  is_stream: booleanValue,
  channel_id: numberValue,
  token_id: numberValue,
  group: textValue,
  client_ip: textValue,
  usage_source: textValue,
  /** JSON text, see docs/logs.md. */
  other: textValue,
});
export type LogRow = RowOf<typeof LOG_ROWS>;

/** A row about no call: what is not set is empty. */
export const EMPTY_LOG_ROW: LogRow = LOG_ROWS.read({});
