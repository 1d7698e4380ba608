import type { CountedColumns } from '../../domain/logs/log-hours.ts';

export interface LogRow extends CountedColumns {
  readonly request_id: string;
  readonly content: string;
  readonly is_stream: boolean;
  readonly token_id: number;
  readonly client_ip: string;
  readonly usage_source: string;
  /** JSON text, see docs/logs.md. */
  readonly other: string;
}

/** A row about no call: what is not set is empty. */
export const EMPTY_LOG_ROW = {
  request_id: '',
  user_id: 0,
  created_at: 0,
  type: 0,
  content: '',
  username: '',
  token_name: '',
  model_name: '',
  quota: 0,
  cost: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  use_time_ms: 0,
  first_token_ms: 0,
  is_stream: false,
  channel_id: 0,
  token_id: 0,
  group: '',
  client_ip: '',
  usage_source: '',
  other: '',
} as const satisfies LogRow;
