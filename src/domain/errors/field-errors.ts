/** Errors of model calls whose texts depend on what is wrong (locales, by the reason). */
import { AppError, type ErrorParams } from './errors.ts';

/** What is wrong with a field of a request: keys of `field_problems`. */
export const FIELD_PROBLEMS = [
  'not_text',
  'not_number',
  'not_bool',
  'not_object',
  'not_list',
  'list_empty',
  'not_text_or_list',
  'not_choice',
  'not_like',
  'not_int',
  'int_too_small',
  'int_out_of_range',
  'too_large',
  'not_seconds',
  'repeated',
  'name_repeated',
  'spelled_twice',
  'file_for_text',
  'too_deep',
  'name_too_long',
  'too_many_bytes',
  'too_many_values',
  'too_many_fields',
  'too_many_files',
  'too_many_parts',
  'too_wide',
  'too_long_to_convert',
  'too_many_to_convert',
  'not_same_in_all',
  'only_text_embedded',
  'page_unknown',
  'model_not_listed',
  'action_unknown',
  'not_change',
  'not_event_number',
  'session_keeps_model',
  'conversation_not_kept',
  'one_answer',
  'no_audio',
  'image_type',
  'file_type',
  'pictures_as_bytes',
  'media_source',
  'texts_and_pictures',
  'not_web_url',
  'not_https_url',
  'url_credentials',
  'url_host_dot',
  'url_odd_address',
] as const;

export type FieldProblem = (typeof FIELD_PROBLEMS)[number];

/** Which setting of a channel prevents a call: keys of `channel_problems`. */
export const CHANNEL_PROBLEMS = [
  'key_form',
  'key_no_account',
  'key_of_google_models',
  'private_key_unreadable',
  'value_missing',
  'value_not_header',
  'region_missing',
  'region_invalid',
  'base_url_missing',
  'base_url_invalid',
  'other_missing',
  'library_id_missing',
  'bot_id_missing',
  'proxy_invalid',
] as const;

type ChannelProblem = (typeof CHANNEL_PROBLEMS)[number];

export function missingField(field: string): AppError {
  return new AppError('field_missing', { field }, { param: field });
}

export function wrongField(
  field: string,
  reason: FieldProblem,
  params: ErrorParams = {},
): AppError {
  return new AppError('field_wrong', { ...params, field, reason }, { param: field });
}

export function unusableChannel(
  reason: ChannelProblem,
  params: ErrorParams = {},
  cause?: unknown,
): AppError {
  return new AppError('channel_unusable', { ...params, reason }, { cause });
}
