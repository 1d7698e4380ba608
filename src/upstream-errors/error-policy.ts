/** Decides what follows from an upstream error: another attempt or status, disabling a key. */
import { textIn } from '../json/read-json.ts';
import type { UpstreamError } from './upstream-error.ts';

const CLAUDE_TYPE = 14;

/** Whether to try another channel. `status` is the one after the channel's mapping. */
export function shouldRetry(status: number, channelType = 0): boolean {
  if (status === 429 || status === 307) return true;
  if (status === 504 || status === 524) return false;
  if (status >= 500 && status < 600) return true;
  if (status === 400) return channelType === CLAUDE_TYPE;
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

/** How vendors word a refused key or account in a 400 without a code of its own. */
const KEY_SENTENCES = [
  /^your credit balance is too low to access the anthropic api\. please go to plans & billing to upgrade or purchase credits\.$/i,
  /^api key (not valid\. please pass a valid|expired\. please renew the) api key\.$/i,
];

/** Google's errors about the key or its project; 403 is also the answer for other people's files. */
const KEY_OR_PROJECT =
  /\b(api key|project|consumer|billing|credentials?|service account|unregistered callers?)\b|requests to this api\b/i;

/** What a caller names in a request and may have no right to. */
const CALLERS_OBJECT =
  /\b(files?|file_?(id|uri)s?|cache[ds]?|cached ?contents?|tuned ?models?|corpus|corpora|buckets?|objects?|containers?|vector ?stores?|assistants?|threads?|conversations?|skills?|uploads?|images?|ur[il]s?)\b/i;

export interface DisableRules {
  readonly channelType: number;
  /** Lines of the option; compared ignoring case. */
  readonly keywords: readonly string[];
  /** Whether the caller wrote the phrase, so that the upstream may only repeat it. */
  readonly isInRequest: (phrase: string) => boolean;
}

/**
 * Uses the original status and text, before mapping and hiding. Does not check the options. Nothing
 * that a caller can write or refer to disables a key.
 */
export function shouldDisable(error: UpstreamError, rules: DisableRules): boolean {
  const { status, message, concernsCall } = error;
  if (concernsCall) return false;
  if (error.disablesKey) return true;
  if (KEY_SENTENCES.some((sentence) => sentence.test(message))) return !rules.isInRequest(message);
  if (isStatusOfRequest(status)) return false;
  if (status === 403 && rules.channelType === GEMINI_TYPE && KEY_OR_PROJECT.test(message))
    return true;
  const text = message.toLowerCase();
  return rules.keywords.some((line) => {
    const keyword = line.trim().toLowerCase();
    return keyword !== '' && text.includes(keyword) && !rules.isInRequest(keyword);
  });
}

const STATUSES_OF_KEYS: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Errors such as 400, 404, 422 judge the request; their texts say nothing certain about the key. */
function isStatusOfRequest(status: number): boolean {
  return status >= 400 && status < 500 && !STATUSES_OF_KEYS.has(status);
}

/**
 * Whether only this call is refused although its status is that of a key: it names an object of
 * another account, or needs more tokens at once than any key's limit.
 */
export function concernsOnlyCall({
  status,
  message,
}: {
  status: number;
  message: string;
}): boolean {
  if (status === 429) return /^request too large\b/i.test(message);
  return status === 403 && CALLERS_OBJECT.test(message);
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
