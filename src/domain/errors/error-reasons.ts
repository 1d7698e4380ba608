/**
 * Why an input, a setting or another server's answer is rejected. A reason is a locale key
 * (`error_reasons`) that provides the localised text; the English text here is the error's `problem`.
 */
import type { ErrorParams } from './errors.ts';

export const ERROR_REASONS = {
  // Schema validation.
  missing: 'is missing',
  empty: 'must not be empty',
  not_accepted: 'is not accepted',
  wrong_type: 'has a type that is not accepted here',
  not_text: 'must be text',
  not_number: 'must be a number',
  not_text_or_number: 'must be text or a number',
  not_int: 'must be a whole number',
  not_bool: 'must be true or false',
  not_list: 'must be a list',
  not_object: 'must be an object',
  not_choice: 'must be one of: {choices}',
  not_multiple: 'must be a multiple of {step}',
  wrong_form: 'is not in the expected form',
  unknown_fields: 'has unknown fields: {names}',
  too_short: 'must have at least {least} characters',
  too_long: 'must have at most {most} characters',
  too_few: 'must have at least {least} entries',
  too_many: 'must have at most {most} entries',
  too_small: 'must be at least {least}',
  too_large: 'must be at most {most}',
  not_above: 'must be greater than {least}',
  not_below: 'must be less than {most}',
  too_deep: 'is nested too deeply',
  has_nul: 'must not contain the character U+0000',

  // General field rules.
  not_id: 'must be a whole number greater than 0',
  not_ids: 'must be ids, separated by commas',
  not_date: 'must be an ISO date or time',
  not_email: 'must be an e-mail address',
  not_site_path: 'must be a path of this site',
  not_json: 'is not valid JSON',
  not_json_object: 'must be a JSON object, not nested too deeply',
  not_status: 'must be 1 or 2',
  not_address: '"{entry}" is not an IP address or range',
  has_controls: 'must not contain line breaks, control or direction characters',
  has_blanks: 'must not contain blanks or control characters',
  has_commas: 'must not contain commas or control characters',
  has_line_breaks: 'must not contain line breaks',
  bad_code: 'must be 6 to 64 letters, digits, dashes or underscores',
  time_missing: 'a time is required',
  before_start: 'is before the start',
  before_valid_from: 'must be later than valid_from',
  code_end_past: 'must be in the future, or 0 for no end',
  count_of_key: 'must be 1 when the code itself is given',
  zero_uses: 'must be greater than 0, or -1 for no limit',
  not_in_future: 'must be in the future, or -1 for never',
  named_twice: 'names {name} twice',
  is_negative: 'must not be negative',
  is_too_large: 'is too large',

  // URLs.
  not_web_url: 'is not a web address',
  not_http_url: 'must be an http(s) URL',
  not_https_url: 'must begin with https://',
  no_chat_id: 'needs a chat_id in its query',
  url_credentials: 'must not contain a username or password',
  url_host_dot: 'must not have a dot at the end of its host',
  url_odd_address: 'must contain its IP address in the usual form',
  host_unknown: 'its host was not found',
  private_network: 'it leads to a private network',

  // Channels.
  not_channel_type: 'is not a channel type',
  not_name_map: 'must be a map from names to names',
  model_name_long: 'a model name may have at most {most} characters',
  not_header: 'contains characters that are not allowed in a header',
  setting_number: 'its {name} must be a whole number from 0 to {most}',
  channel_cost: 'must be a factor of 0 or more, rates of models that are prices, or both',
  setting_proxy: 'its proxy must be an http, https or socks5 URL',
  alias_unlisted:
    'the models of the channel do not contain {names}, so no call for these names uses it',
  circle: 'the mapping of "{name}" is circular',
  aws_region: 'must be a region of AWS, such as us-east-1',
  region_missing: 'must name a region',
  region_default: 'must have a "default" region',
  batch_empty: 'status, priority or weight is required',
  there_twice: '"{value}" appears twice',
  channel_unknown: 'is not the id of an existing channel',
  key_signs: 'contains characters that no key has',
  key_aws_parts: 'must be AccessKey|SecretKey|region or APIKey|region',
  key_aws_region: 'contains no region: add it after the key, or enter it in the region field',
  key_json: 'is not the JSON of a service account',
  key_lacks: 'does not contain "{name}": paste the whole JSON of the service account',
  key_pem: 'has no private key in PEM format in "{name}"',
  key_token_uri: 'has a "{name}" that is not an address of Google',

  // Accounts, tokens, money, mail.
  name_or_email_taken: 'the username or e-mail address is taken',
  identity_of_owner: 'can only be cleared here; its owner links it by signing in there',
  wrong_password: 'is not the current password',
  owner_missing: 'must name the owner',
  group_not_usable: '{group} cannot be used by the user {username}',
  model_unserved: 'no channel serves {model}',
  too_expensive: 'exceeds the largest amount of one payment',
  cached_over_prompt: 'must not be greater than the number of input tokens',
  price_mixed: 'cannot be combined with a price per token',
  one_unit: 'must have exactly one of input, second, character and call',
  price_twice: 'has the same meaning as "{name}": give only one of them',
  ratio_missing: 'is required because the model has no price per token yet',
  amount_missing: 'at least one price is required',
  no_ratio_to_zero: 'cannot be expressed as a ratio of an input price of 0',
  secret_before: 'is not accepted for a secret option',
  one_kind_of_receiver: 'users, a group or to_all is required, and only one of them',
  no_receiver: 'matches no existing account',
  receiver_count: 'must contain 1 to {most} e-mail addresses',
  receiver_not_ascii: 'contains an address with an accented or non-Latin letter before the @',
  receiver_wrong: 'is not an e-mail address',

  // Settings of the process.
  not_worker_count: 'must be a number from 1 to {most}, or auto',
  not_time_zone: 'is not a time zone of the IANA database, such as Europe/Berlin',
  not_readable: 'names a file that cannot be read',
  not_database: '"{value}" is not a file path or an address of sqlite:, postgres: or mysql:',
  database_of_site: 'is the database of a site',
  redis_form:
    'must be redis://HOST:PORT/NUMBER, redis+cluster://HOST:PORT,HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/MASTER/NUMBER, with rediss for TLS',
  redis_several: 'names several servers: only redis+cluster:// and redis+sentinel:// may do so',
  redis_master_missing: 'must contain the name of the master: redis+sentinel://HOST:PORT/MASTER',
  redis_number: '"{value}" is not the number of a database',
  redis_cluster_number:
    'must not contain a number, because a Redis Cluster has no numbered databases',
  redis_host: '"{value}" is not HOST:PORT',
  redis_percent: 'contains a % that is not followed by two hexadecimal digits',
  redis_is_single: '{node} is a single Redis, whose address is redis://HOST:PORT',
  redis_is_cluster:
    '{node} is a node of a Redis Cluster, whose address is redis+cluster://HOST:PORT,HOST:PORT',
  redis_is_sentinel:
    '{node} is a Sentinel, whose address is redis+sentinel://HOST:PORT,HOST:PORT/MASTER',
  redis_master_unknown: 'the Sentinel {node} does not know "{master}"',
  redis_refused: 'Redis reported "{text}"',
  profile_form: 'is not a file of profiles',
  profile_mode: 'can be read by other users: run chmod 600',

  // Other servers.
  server_silent: 'it did not answer',
  server_slow: 'it did not answer in time',
  server_status: 'it answered with status {status}',
  server_error: 'it reported "{text}"',
  server_answer_large: 'its answer is too large',
  server_redirects: 'it redirects too often',
  server_not_json: 'its answer is not JSON of the expected form',
  server_not_https: 'it names an address that does not begin with https://',
  server_answer_wrong: 'its answer is not valid',
  server_no_access_token: 'it sent no access token',
  server_no_id_token: 'it sent no ID token',
  server_id_token_foreign: 'its ID token belongs to another sign-in',
  server_no_user: 'it names no user',
  server_no_endpoint: 'it does not name a web address as {name}',

  // The mail server.
  mail_sender: 'the sender is not an e-mail address',
  mail_account_refused: 'the mail server refused the account',
  mail_account_needed: 'the mail server requires an account',
  mail_host_unknown: 'the mail server was not found',
  mail_closed: 'the mail server ended the connection',
  mail_unreachable: 'the mail server could not be reached safely',
  mail_tls_differs:
    'the mail port and the switch for TLS do not fit: one side of the connection uses TLS from the start, the other does not',
  mail_method_unknown: 'the mail server does not know this kind of sign-in',
  mail_slow: 'the mail server did not answer in time',
  mail_address_refused: 'the mail server refused the sender or the receiver',
  mail_refused: 'the mail server refused the mail',
  mail_error: 'the mail server failed',
  mail_server_text: 'the mail server reported "{text}"',
} as const;

export type ErrorReason = keyof typeof ERROR_REASONS;

/** The English sentence without its subject. */
function reasonText(reason: ErrorReason, params: ErrorParams = {}): string {
  return ERROR_REASONS[reason].replace(/\{(\w+)\}/g, (_, name: string) =>
    String(params[name] ?? ''),
  );
}

/** The parameters of an error that say what is wrong: `reason`, and `problem` in English. */
export function reasonParams(reason: ErrorReason, params: ErrorParams = {}): ErrorParams {
  return { ...params, reason, problem: reasonText(reason, params) };
}
