/**
 * Removes everything that looks like a secret from a log entry as the last step before it is
 * written. Libraries quote addresses, headers and bodies in their messages, so the places cannot be
 * listed.
 */

const REDACTED = '[redacted]';

/** The input is a line of JSON, so values end at a quote or a backslash at the latest. */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // API keys, recognized by their providers' prefixes.
  [
    /\b(sk|pk|rk|gsk|xai|nvapi|hf|r8|pplx|fw|csk|tgp|jina|voyage|ghp|gho|ghs|github_pat)([-_])[\w-]{12,}/g,
    `$1$2${REDACTED}`,
  ],
  [/\bAIza[\w-]{20,}/g, REDACTED],
  [/\bya29\.[\w.-]{10,}/g, REDACTED],
  [/\bAKIA[0-9A-Z]{12,}/g, REDACTED],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?/g, REDACTED],
  [/-----BEGIN[A-Z ]*PRIVATE KEY-----[^"]*?-----END[A-Z ]*PRIVATE KEY-----/g, REDACTED],
  // Credentials in headers, as text or as JSON.
  [/\b(Bearer|Basic|Token)(\s+)[^\s"\\,;]{6,}/gi, `$1$2${REDACTED}`],
  [
    /((?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|x-goog-api-key|api_?key|access_?token|refresh_?token|client_?secret|secret_?key|private_?key|password|passwd|secret)\\*"?\s*[:=]\s*\\*"?)(?!\[redacted\]|null\b|undefined\b)[^\s"\\,;&})]{3,}/gi,
    `$1${REDACTED}`,
  ],
  [/\b(gateway_session=)[^\s"\\;]+/g, `$1${REDACTED}`],
  // URLs: passwords before the host and secrets in the query.
  [/(:\/\/[^\s:@/"\\]*:)[^\s@/"\\]+@/g, `$1${REDACTED}@`],
  [
    /([?&](?:key|api_?key|access_?token|token|sig|signature|x-amz-signature|x-amz-security-token|code|ticket|state|secret|password)=)[^&\s"\\#]+/gi,
    `$1${REDACTED}`,
  ],
];

/** Takes and returns one line of JSON. */
export function withoutSecrets(line: string): string {
  let clean = line;
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  return clean;
}
