/** Decides what follows from an upstream error: another attempt or status, disabling a key. */
import { textIn } from '../json/read-json.ts';
import type { UpstreamError } from './upstream-error.ts';

export interface RetryCircumstances {
  /** The gateway itself rejected the call: another channel would reject it as well. */
  readonly isLocal?: boolean;
  readonly isChannelChosenByClient?: boolean;
  readonly channelType?: number;
}

const CLAUDE_TYPE = 14;

/** Whether to try another channel. `status` is the one after the channel's mapping. */
export function shouldRetry(status: number, question: RetryCircumstances = {}): boolean {
  if (question.isLocal || question.isChannelChosenByClient) return false;
  if (status === 429 || status === 307) return true;
  if (status === 504 || status === 524) return false;
  if (status >= 500 && status < 600) return true;
  if (status === 400) return question.channelType === CLAUDE_TYPE;
  if (status === 408) return false;
  return status < 200 || status >= 300;
}

/** Applies the channel's `status_code_mapping`, text to text; ignores invalid target statuses. */
export function mapStatus(mapping: Readonly<Record<string, unknown>>, status: number): number {
  if (status === 200) return status;
  const target = textIn(mapping, String(status));
  return target !== undefined && /^[1-5]\d\d$/.test(target) ? Number(target) : status;
}

/** Includes DashScope's, Volcengine's and Zhipu's own codes for key and payment problems. */
const DISABLING_CODES = new Set([
  'invalid_api_key',
  'account_deactivated',
  'billing_not_active',
  'InvalidApiKey',
  'Arrearage',
  'AccountOverdueError',
  '1113',
]);
const DISABLING_TYPES = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'exceeded_current_quota_error',
  'authentication_error',
  'permission_error',
  'forbidden',
  // AWS: the access key is unknown, or the session has expired.
  'UnrecognizedClientException',
  'ExpiredTokenException',
]);
const GEMINI_TYPE = 24;

export interface DisableRules {
  readonly channelType: number;
  /** Lines of the option; compared ignoring case. */
  readonly keywords: readonly string[];
}

/** Uses the original status and text, before mapping and hiding. Does not check the options. */
export function shouldDisable(error: UpstreamError, question: DisableRules): boolean {
  if (error.disablesKey) return true;
  if (error.status === 403 && question.channelType === GEMINI_TYPE) return true;
  const message = error.message.toLowerCase();
  return question.keywords.some((line) => {
    const keyword = line.trim().toLowerCase();
    return keyword !== '' && message.includes(keyword);
  });
}

/** Whether the error itself means that the key no longer works. */
export function isKeyError(error: { status: number; code: string; type: string }): boolean {
  return (
    error.status === 401 ||
    DISABLING_CODES.has(error.code) ||
    DISABLING_TYPES.has(error.type) ||
    DISABLING_TYPES.has(error.code)
  );
}

/**
 * Texts of 400 errors that some providers return if only this account or server is affected; the
 * Chinese ones say that the balance is too low, and that payment is due.
 */
const ACCOUNT_ERROR =
  /credit balance|arrearage|overdue|spend(ing)? limit|insufficient (balance|quota|credit)|quota exceeded|api key not valid|api_key_invalid|model.{0,40}not supported|\u4f59\u989d\u4e0d\u8db3|\u6b20\u8d39/i;

/** Whether a 400 concerns the account, so that another channel may succeed. */
export function isAccountError(error: { message: string; code: string }): boolean {
  return ACCOUNT_ERROR.test(error.message) || ACCOUNT_ERROR.test(error.code);
}
