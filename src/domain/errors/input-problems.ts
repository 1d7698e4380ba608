/**
 * The reasons for rejecting an input. A reason is a locale key (`input_problems`) that provides the
 * localised text; the English text here is the error's `problem`.
 */
import { AppError, type ErrorParams } from './errors.ts';

export const INPUT_PROBLEMS = {
  // Schema validation.
  missing: 'is missing',
  empty: 'must not be empty',
  not_accepted: 'is not accepted',
  wrong_type: 'has a type that is not accepted here',
  not_text: 'must be text',
  not_number: 'must be a number',
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
  not_ids: 'must be ids',
  not_date: 'must be an ISO date or time',
  not_email: 'must be an e-mail address',
  not_site_path: 'must be a path of this site',
  not_json: 'is not valid JSON',
  not_json_object: 'must be a JSON object, not nested too deeply',
  not_status: 'must be 1 or 2',
  not_address: '"{entry}" is no IP address or range',
  has_blanks: 'must not contain blanks or control characters',
  has_commas: 'must not contain commas or control characters',
  has_controls: 'must not contain control characters',
  has_line_breaks: 'may not hold line breaks',
  bad_code: 'must be 6 to 64 letters, digits, dashes or underscores',
  time_missing: 'a time is needed',
  before_start: 'comes before the start',
  before_valid_from: 'must be later than valid_from',
  not_in_future: 'must be in the future, or -1 for never',
  named_twice: 'names {name} twice',
  is_negative: 'must not be negative',
  is_too_large: 'is too large',

  // URLs.
  not_web_url: 'is no web address',
  not_http_url: 'must be an http(s) URL',
  not_https_url: 'must begin with https://',
  url_credentials: 'may not hold a user name or password',
  url_host_dot: 'may not end its host with a dot',
  url_odd_address: 'must write its IP address in the usual form',
  host_unknown: 'its host is not known',
  private_network: 'it leads into a private network',

  // Channels.
  not_channel_type: 'is no channel type',
  not_name_map: 'must map names to names',
  model_name_long: 'a model name has at most {most} characters',
  not_header: 'holds characters that no header carries',
  setting_number: 'its {name} must be a whole number from 0 to {most}',
  setting_proxy: 'its proxy must be an http, https or socks5 URL',
  circle: '"{name}" leads in a circle',
  aws_region: 'must be a region of AWS, such as us-east-1',
  region_missing: 'must name the region',
  region_default: 'must have a "default" region',
  batch_empty: 'status, priority or weight must be given',
  there_twice: '"{value}" is there twice',
  channel_unknown: 'is of no channel that is there',
  key_signs: 'holds characters that no key has',
  key_aws_parts: 'must be AccessKey|SecretKey|region or APIKey|region',
  key_aws_region: 'names no region: write it behind the key, or into the field of the region',
  key_json: 'is not the JSON of a service account',
  key_lacks: 'lacks "{name}": paste the whole JSON of the service account',
  key_pem: 'has no private key in PEM form in "{name}"',
  key_token_uri: 'has a "{name}" that is not Google\'s',

  // Accounts, tokens, money, mail.
  name_or_email_taken: 'or e-mail is taken',
  wrong_password: 'is not the password in use',
  owner_missing: 'names the owner',
  group_not_usable: '{group} cannot be used by the user {username}',
  model_unserved: 'no channel serves {model}',
  too_expensive: 'costs more than can be paid at once',
  cached_over_prompt: 'is more than the prompt',
  price_mixed: 'cannot be combined with a price by tokens',
  price_twice: 'and "{name}" say the same: give one of them',
  ratio_missing: 'is needed, as the model has no price by tokens yet',
  amount_missing: 'or another amount is needed',
  no_ratio_to_zero: 'has no ratio to an input price of 0',
  secret_before: 'is not asked of a secret',
  one_kind_of_receiver: 'or a group or to_all is needed, and only one of them',
  no_receiver: 'names no account that exists',
  receiver_count: 'names 1 to {most} e-mail addresses',
  receiver_wrong: 'is no e-mail address',
} as const;

export type InputProblem = keyof typeof INPUT_PROBLEMS;

/** The English sentence without its subject. */
export function inputProblemText(reason: InputProblem, params: ErrorParams = {}): string {
  return INPUT_PROBLEMS[reason].replace(/\{(\w+)\}/g, (_, name: string) =>
    String(params[name] ?? ''),
  );
}

/** @param field The field's dotted path in the input. */
export function invalidInput(
  field: string,
  reason: InputProblem,
  params: ErrorParams = {},
  cause?: unknown,
): AppError {
  const problem = inputProblemText(reason, params);
  return new AppError(
    'input_invalid',
    { ...params, field, reason, problem },
    { param: field, cause },
  );
}
