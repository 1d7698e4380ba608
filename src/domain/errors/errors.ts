/**
 * The catalogue of all errors the gateway returns. A row names the kind, which has a column per
 * audience (HTTP, CLI exit code, dialect). A status is chosen by how clients react to it: they
 * retry 408, 409, 429 and 5xx and stop at all others. Texts are in `src/locales` under
 * `errors.<code>`.
 */

/** How an error of this kind appears to each audience. */
export interface KindRow {
  readonly http: number;
  /** Exit code of the CLI. */
  readonly exit: number;
  /** `error.type` in OpenAI's format; the other dialects derive it from the status. */
  readonly openai: string;
  /** Set where the Responses dialect uses a different status. */
  readonly responsesHttp?: number;
  /** A retry fails in the same way. */
  readonly isPermanent?: true;
  /** Default for `Retry-After` when the error does not set one. */
  readonly retryAfterSec?: number;
}

export const ERROR_KINDS = {
  invalid: { http: 400, exit: 6, openai: 'invalid_request_error' },
  usage: { http: 400, exit: 2, openai: 'invalid_request_error' },
  setup: { http: 500, exit: 3, openai: 'gateway_error' },
  unauthenticated: { http: 401, exit: 4, openai: 'gateway_error' },
  forbidden: { http: 403, exit: 4, openai: 'gateway_error' },
  /** The balance does not cover the call. Codex repeats 402, and of all statuses accepts only 400. */
  unpaid: { http: 402, exit: 6, openai: 'gateway_error', responsesHttp: 400, isPermanent: true },
  missing: { http: 404, exit: 5, openai: 'invalid_request_error' },
  conflict: { http: 409, exit: 6, openai: 'invalid_request_error' },
  limited: { http: 429, exit: 1, openai: 'gateway_error', retryAfterSec: 1 },
  unavailable: { http: 503, exit: 7, openai: 'gateway_error', retryAfterSec: 5 },
  upstream: { http: 502, exit: 1, openai: 'upstream_error' },
  broken: { http: 500, exit: 1, openai: 'gateway_error' },
} as const satisfies Record<string, KindRow>;

export type ErrorKind = keyof typeof ERROR_KINDS;

export interface ErrorRow {
  readonly kind: ErrorKind;
  /** Set where the API contract requires a status other than the kind's. */
  readonly http?: number;
  /** HTTP status of the management envelope, if the contract requires another than the default. */
  readonly envelopeHttp?: number;
  /** `error.code` on the wire, if it differs from the catalogue's name. */
  readonly wire?: string;
  /** The call would take something away from users; repeated with `force`, it does. */
  readonly isImpact?: true;
  /** Clients retry this status, but a retry fails in the same way. */
  readonly isPermanent?: true;
}

export const ERRORS = {
  // Token errors, in the order in which the relay checks them.
  token_missing: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  token_unknown: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  token_exhausted: { kind: 'unpaid', wire: 'insufficient_quota' },
  token_drained: { kind: 'unpaid', wire: 'insufficient_quota' },
  token_expired: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  token_inactive: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  user_gone: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  user_banned: { kind: 'forbidden' },
  channel_pick_denied: { kind: 'forbidden' },
  token_rate_limited: { kind: 'limited', wire: 'rate_limit_exceeded' },
  model_rate_limited: { kind: 'limited', wire: 'rate_limit_exceeded' },
  model_success_limited: { kind: 'limited', wire: 'rate_limit_exceeded' },
  token_calls_capped: { kind: 'limited', wire: 'rate_limit_exceeded' },
  user_calls_capped: { kind: 'limited', wire: 'rate_limit_exceeded' },
  group_calls_capped: { kind: 'limited', wire: 'rate_limit_exceeded' },
  token_tokens_capped: { kind: 'limited', wire: 'rate_limit_exceeded' },
  user_tokens_capped: { kind: 'limited', wire: 'rate_limit_exceeded' },
  group_tokens_capped: { kind: 'limited', wire: 'rate_limit_exceeded' },
  /** The prompt alone exceeds a cap of tokens per minute, so repeating the call cannot help. */
  prompt_above_cap: { kind: 'invalid', http: 413, wire: 'request_too_large' },
  address_denied: { kind: 'forbidden' },
  token_group_denied: { kind: 'forbidden' },
  group_retired: { kind: 'forbidden' },
  group_not_usable: { kind: 'forbidden', wire: 'group_not_allowed' },
  access_token_unsupported: { kind: 'invalid', wire: 'access_token_not_supported' },
  channel_id_invalid: { kind: 'invalid' },
  channel_disabled: { kind: 'forbidden' },
  model_denied: { kind: 'forbidden', wire: 'model_not_allowed' },
  channel_none: { kind: 'unavailable', wire: 'upstream_unavailable' },
  channels_full: { kind: 'limited', wire: 'upstream_saturated' },
  channel_resting: { kind: 'unavailable', wire: 'upstream_unavailable' },

  // Request errors.
  route_unknown: { kind: 'missing', wire: '', envelopeHttp: 404 },
  /** The path of an endpoint with missing or extra prefixes. */
  base_url_wrong: { kind: 'missing', wire: '' },
  interface_unserved: { kind: 'missing', wire: '' },
  method_wrong: { kind: 'invalid', http: 405, wire: 'method_not_allowed' },
  endpoint_not_implemented: {
    kind: 'broken',
    http: 501,
    wire: 'api_not_implemented',
    isPermanent: true,
  },
  websocket_not_implemented: {
    kind: 'broken',
    http: 501,
    wire: 'api_not_implemented',
    isPermanent: true,
  },
  endpoint_retired: { kind: 'invalid', http: 410 },
  body_encoding_unknown: { kind: 'invalid', http: 415, wire: 'unsupported_content_encoding' },
  body_encoding_broken: { kind: 'invalid', wire: 'invalid_content_encoding' },
  body_too_large: { kind: 'invalid', http: 413, wire: 'request_too_large' },
  input_too_large: { kind: 'invalid', http: 413 },
  body_too_slow: { kind: 'invalid', http: 408, wire: 'request_timeout' },
  /** Even alone, its parsed values would exceed the account's share of the body budget. */
  body_needs_too_much: { kind: 'invalid', http: 413, wire: 'request_too_large' },
  body_share_full: { kind: 'limited' },
  body_budget_full: { kind: 'unavailable' },
  body_missing: { kind: 'invalid', wire: 'invalid_request' },
  body_not_json: { kind: 'invalid', wire: 'invalid_json', envelopeHttp: 400 },
  body_not_object: { kind: 'invalid', wire: 'invalid_json', envelopeHttp: 400 },
  body_not_form: { kind: 'invalid', wire: 'invalid_form' },
  field_missing: { kind: 'invalid', wire: 'missing_required_parameter' },
  field_wrong: { kind: 'invalid', wire: 'invalid_value' },
  sensitive_words: { kind: 'invalid', wire: 'sensitive_words_detected' },
  upgrade_required: { kind: 'invalid', http: 426 },
  client_secret_wrong: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  client_secret_expired: { kind: 'unauthenticated', wire: 'invalid_api_key' },
  session_idle: { kind: 'invalid' },
  session_expired: { kind: 'invalid' },
  extension_blocked: { kind: 'forbidden', wire: 'browser_extension_blocked' },
  model_unknown: { kind: 'missing', wire: 'model_not_found' },
  endpoint_unsupported: { kind: 'invalid', wire: 'endpoint_not_supported' },
  compact_unsupported: {
    kind: 'broken',
    http: 501,
    wire: 'api_not_implemented',
    isPermanent: true,
  },
  item_reference_unknown: { kind: 'invalid', wire: 'previous_response_not_found' },
  responses_only: { kind: 'invalid', wire: 'endpoint_not_supported' },
  response_unknown: { kind: 'missing', wire: 'not_found' },
  previous_response_unknown: { kind: 'invalid', wire: 'previous_response_not_found' },
  /** The provider does not support a requested field; another channel may. */
  feature_unsupported: { kind: 'invalid', wire: 'unsupported_parameter' },
  /** Channels of this type are kept, but the provider's service no longer exists. */
  provider_retired: { kind: 'invalid', wire: 'provider_retired' },
  prompt_too_long: { kind: 'invalid', wire: 'context_length_exceeded' },

  // Billing errors.
  price_missing: { kind: 'invalid', wire: 'model_price_error', envelopeHttp: 200 },
  quota_short: { kind: 'unpaid', wire: 'insufficient_user_quota' },
  token_quota_short: { kind: 'unpaid', wire: 'pre_consume_token_quota_failed' },
  budget_exhausted: { kind: 'forbidden', isPermanent: true },
  /** Running calls hold what is left, or the next window begins soon. */
  budget_busy: { kind: 'limited', wire: 'budget_exhausted' },
  mapping_broken: { kind: 'invalid', wire: 'model_mapped_error' },

  // Upstream errors.
  upstream_failed: { kind: 'upstream', wire: 'do_request_failed' },
  upstream_timeout: { kind: 'upstream', http: 504, wire: 'upstream_timeout' },
  /** No response content within the configured time limit. */
  upstream_slow: { kind: 'upstream', http: 504, wire: 'upstream_timeout' },
  upstream_broke_off: { kind: 'upstream', wire: 'upstream_stream_interrupted' },
  upstream_garbled: { kind: 'upstream', wire: 'bad_response_body' },
  upstream_empty: { kind: 'upstream', wire: 'empty_response' },
  upstream_status: { kind: 'upstream', wire: 'bad_response_status_code' },
  /** As `upstream_status`, without a message of the upstream. */
  upstream_status_only: { kind: 'upstream', wire: 'bad_response_status_code' },
  /** In place of the upstream's own error; the real status is in `status`. */
  upstream_hidden: { kind: 'upstream', wire: 'upstream_error' },
  upstream_saturated: { kind: 'limited', wire: 'upstream_saturated' },
  upstream_too_large: { kind: 'upstream', wire: 'upstream_response_too_large', isPermanent: true },
  /** The channel's own settings make the call impossible; another channel may succeed. */
  channel_unusable: { kind: 'upstream', wire: 'channel_misconfigured', isPermanent: true },
  shutting_down: { kind: 'unavailable', wire: 'shutting_down' },

  // Errors of management calls, CLI and start-up.
  body_type_unknown: { kind: 'invalid', http: 415 },
  input_invalid: { kind: 'invalid', wire: 'invalid_input' },
  nothing_changed: { kind: 'invalid' },
  option_unknown: { kind: 'missing' },
  option_invalid: { kind: 'invalid' },
  option_secret_argument: { kind: 'usage' },
  user_missing: { kind: 'missing' },
  user_name_taken: { kind: 'conflict' },
  user_protected: { kind: 'forbidden' },
  registration_off: { kind: 'forbidden' },
  password_registration_off: { kind: 'forbidden' },
  password_login_off: { kind: 'forbidden' },
  login_failed: { kind: 'forbidden' },
  login_limited: { kind: 'limited' },
  sign_in_busy: { kind: 'unavailable' },
  account_closed: { kind: 'forbidden' },
  email_taken: { kind: 'conflict' },
  email_domain_denied: { kind: 'invalid' },
  email_alias_denied: { kind: 'invalid' },
  email_code_needed: { kind: 'invalid' },
  email_code_wrong: { kind: 'invalid' },
  email_code_wait: { kind: 'limited' },
  reset_link_wrong: { kind: 'invalid' },
  identity_taken: { kind: 'conflict' },
  oauth_state_invalid: { kind: 'forbidden', envelopeHttp: 403 },
  oauth_off: { kind: 'forbidden' },
  oauth_failed: { kind: 'upstream' },
  discovery_failed: { kind: 'invalid' },
  oauth_denied: { kind: 'forbidden' },
  oauth_code_wrong: { kind: 'invalid' },
  oauth_signature_wrong: { kind: 'invalid' },
  oauth_email_taken: { kind: 'conflict' },
  oauth_unbound: { kind: 'forbidden' },
  oauth_trust_low: { kind: 'forbidden' },
  oauth_account_inactive: { kind: 'forbidden' },
  identity_missing: { kind: 'conflict' },
  identity_last: { kind: 'conflict' },
  username_change_off: { kind: 'forbidden' },
  check_in_off: { kind: 'conflict' },
  checked_in_already: { kind: 'conflict' },
  aff_off: { kind: 'conflict' },
  aff_transfer_small: { kind: 'invalid' },
  aff_quota_short: { kind: 'conflict' },
  token_missing_row: { kind: 'missing' },
  token_key_unknown: { kind: 'missing' },
  token_cannot_enable: { kind: 'conflict' },
  token_cap: { kind: 'conflict' },
  channel_missing: { kind: 'missing' },
  changed_meanwhile: { kind: 'conflict' },
  already_running: { kind: 'conflict' },
  plan_changed: { kind: 'conflict' },
  channel_key_needed: { kind: 'forbidden' },
  channel_key_masked: { kind: 'invalid' },
  channel_key_ambiguous: { kind: 'invalid' },
  channel_untestable: { kind: 'invalid' },
  models_unlisted: { kind: 'invalid' },
  channel_tag_missing: { kind: 'missing' },
  balance_unsupported: { kind: 'invalid' },
  channel_test_failed: { kind: 'upstream' },
  channel_name_ambiguous: { kind: 'conflict' },
  channel_name_taken: { kind: 'conflict' },
  name_taken: { kind: 'conflict' },
  group_missing: { kind: 'missing' },
  group_in_use: { kind: 'conflict', envelopeHttp: 409, isImpact: true },
  tag_in_use: { kind: 'conflict', envelopeHttp: 409, isImpact: true },
  models_in_use: { kind: 'conflict', envelopeHttp: 409, isImpact: true },
  prices_in_use: { kind: 'conflict', envelopeHttp: 409, isImpact: true },
  price_unknown: { kind: 'missing' },
  redemption_missing: { kind: 'missing' },
  redemption_key_taken: { kind: 'conflict' },
  redemption_not_unused: { kind: 'conflict' },
  redemption_spent: { kind: 'conflict' },
  budget_missing: { kind: 'missing' },
  budget_limit: { kind: 'conflict' },
  redeem_unknown: { kind: 'invalid' },
  redeem_early: { kind: 'invalid' },
  redeem_expired: { kind: 'invalid' },
  redeem_used: { kind: 'conflict' },
  redeem_used_up: { kind: 'conflict' },
  redeem_repeated: { kind: 'conflict' },
  top_up_off: { kind: 'conflict' },
  top_up_method: { kind: 'invalid' },
  top_up_amount: { kind: 'invalid' },
  top_up_too_little: { kind: 'invalid' },
  top_up_missing: { kind: 'missing' },
  top_up_settled: { kind: 'conflict' },
  statement_differs: { kind: 'broken' },
  request_missing: { kind: 'missing' },
  log_missing: { kind: 'missing' },
  span_too_long: { kind: 'invalid' },
  node_missing: { kind: 'missing' },
  job_missing: { kind: 'missing' },
  job_running: { kind: 'conflict' },
  task_missing: { kind: 'missing', wire: 'task_not_exist' },
  task_unfinished: { kind: 'invalid', wire: 'task_not_finished' },
  not_found: { kind: 'missing' },
  permission_denied: { kind: 'forbidden' },
  not_signed_in: { kind: 'unauthenticated' },
  access_token_invalid: { kind: 'unauthenticated', envelopeHttp: 200 },
  user_header_wrong: { kind: 'unauthenticated' },
  account_banned: { kind: 'forbidden' },
  session_only: { kind: 'forbidden' },
  password_needed: { kind: 'forbidden' },
  sign_in_again: { kind: 'forbidden' },
  origin_denied: { kind: 'forbidden', envelopeHttp: 403 },
  rate_limited: { kind: 'limited' },
  demo_mode: { kind: 'forbidden', http: 405 },
  already_set_up: { kind: 'conflict' },
  passwords_differ: { kind: 'invalid' },
  setup_code_wrong: { kind: 'forbidden' },
  setup_code_void: { kind: 'forbidden' },
  message_missing: { kind: 'missing' },
  confirm_needed: { kind: 'usage' },
  mass_delete: { kind: 'conflict' },
  write_failed: { kind: 'broken' },
  prompt_needed: { kind: 'usage' },
  tui_needs_terminal: { kind: 'usage' },
  argument_invalid: { kind: 'usage' },
  config_invalid: { kind: 'setup' },
  secret_key_missing: { kind: 'setup' },
  secret_key_short: { kind: 'setup' },
  secret_key_wrong: { kind: 'setup' },
  schema_newer: { kind: 'setup' },
  import_source_missing: { kind: 'missing' },
  import_source_unknown: { kind: 'invalid' },
  import_source_own: { kind: 'invalid' },
  import_name_taken: { kind: 'conflict' },
  backup_missing: { kind: 'missing' },
  backup_unreadable: { kind: 'invalid' },
  backup_broken: { kind: 'invalid' },
  backup_newer: { kind: 'conflict' },
  restore_not_empty: { kind: 'conflict' },
  restore_running: { kind: 'conflict' },
  restore_key_differs: { kind: 'conflict' },
  restore_key_missing: { kind: 'setup' },
  gateway_running: { kind: 'conflict' },
  sealed_unreadable: { kind: 'broken' },
  secret_key_changing: { kind: 'conflict' },
  schema_half: { kind: 'setup' },
  schema_locked: { kind: 'unavailable' },
  database_pages_small: { kind: 'unavailable' },
  schema_behind: { kind: 'setup' },
  mail_not_configured: { kind: 'conflict' },
  mail_failed: { kind: 'upstream' },
  captcha_missing: { kind: 'invalid' },
  captcha_failed: { kind: 'forbidden' },
  captcha_unavailable: { kind: 'unavailable' },
  fetch_refused: { kind: 'invalid' },
  fetch_failed: { kind: 'upstream' },
  price_source_missing: { kind: 'conflict' },
  price_source_unreadable: { kind: 'upstream' },
  notice_failed: { kind: 'upstream' },
  notice_address_missing: { kind: 'conflict' },
  destination_missing: { kind: 'missing' },
  balance_too_large: { kind: 'conflict' },
  database_unreachable: { kind: 'unavailable' },
  database_refused: { kind: 'setup' },
  database_not_writable: { kind: 'unavailable' },
  database_missing: { kind: 'setup' },
  database_empty: { kind: 'setup' },
  log_database_empty: { kind: 'setup' },
  database_foreign: { kind: 'setup' },
  database_not_sqlite: { kind: 'setup' },
  database_damaged: { kind: 'setup' },
  database_driver_missing: { kind: 'setup' },
  disk_full: { kind: 'setup' },
  disk_failed: { kind: 'setup' },
  folder_not_writable: { kind: 'setup' },
  folder_blocked: { kind: 'setup' },
  file_access_denied: { kind: 'setup' },
  port_in_use: { kind: 'setup' },
  port_denied: { kind: 'setup' },
  host_not_local: { kind: 'setup' },
  redis_unreachable: { kind: 'unavailable' },
  limits_unavailable: { kind: 'unavailable' },
  server_unreachable: { kind: 'unavailable' },
  server_failed: { kind: 'broken' },
  server_foreign: { kind: 'setup' },
  profile_missing: { kind: 'setup' },
  keyring_closed: { kind: 'setup' },
  not_remote: { kind: 'usage' },
  program_missing: { kind: 'missing' },
  chat_refused: { kind: 'invalid' },
  internal: { kind: 'broken', wire: 'internal_error' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
/** Whether a call refused with this code goes on when repeated with `force`. */
export function isImpactCode(code: string | undefined): boolean {
  return code !== undefined && isErrorCode(code) && (ERRORS[code] as ErrorRow).isImpact === true; // rows differ in type
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** The language of the reader joins lists. */
export type ErrorParams = Readonly<Record<string, string | number | readonly string[]>>;

export interface ErrorOptions {
  /** The underlying error; logged, never shown. */
  readonly cause?: unknown;
  /** The invalid field, e.g. `messages.0.role`. */
  readonly param?: string;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSec?: number;
  /** Additional headers of the HTTP response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** All wrong fields of the input, if there are several; the error itself is the first. */
  readonly problems?: readonly AppError[];
}

/** Longer than any name or reason; caller input is truncated before it is echoed. */
const MAX_PARAM_LENGTH = 2_000;

function bounded(params: ErrorParams): ErrorParams {
  const isLong = (value: ErrorParams[string]) =>
    typeof value === 'string' && value.length > MAX_PARAM_LENGTH;
  if (!Object.values(params).some(isLong)) return params;
  const cut = (value: ErrorParams[string]) =>
    isLong(value) ? `${String(value).slice(0, MAX_PARAM_LENGTH)}…` : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, cut(value)]));
}

/** An error meant for the caller. `params` may be shown in any language; `cause` is never shown. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly param: string | undefined;
  readonly retryAfterSec: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly #problems: readonly AppError[] | undefined;

  constructor(code: ErrorCode, params: ErrorParams = {}, options: ErrorOptions = {}) {
    super(code, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.params = bounded(params);
    this.param = options.param;
    this.retryAfterSec = options.retryAfterSec;
    this.headers = options.headers;
    this.#problems = options.problems;
  }

  /** One per wrong field of the input, itself included; empty if no field is wrong. */
  get problems(): readonly AppError[] {
    return this.#problems ?? (this.param === undefined ? [] : [this]);
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }

  get kindRow(): KindRow {
    return ERROR_KINDS[this.row.kind];
  }

  get status(): number {
    return this.row.http ?? this.kindRow.http;
  }

  get isPermanent(): boolean {
    return (this.row.isPermanent ?? this.kindRow.isPermanent) === true;
  }
}

/** Turns any other error into `internal`, which reveals no details to the caller. */
export function asAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', {}, { cause: error });
}
