/**
 * Options for sending e-mail. The mail server is restricted to the super admin,
 * because anyone who controls it can read password-reset links.
 */
import type { OptionRows } from '../row.ts';

export const mailOptions = {
  SMTPServer: { type: 'text', fallback: '', role: 100, form: 'line' },
  SMTPPort: { type: 'int', fallback: '587', role: 100, min: 1, max: 65_535 },
  SMTPSSLEnabled: { type: 'bool', fallback: 'false', role: 100 },
  SMTPAccount: { type: 'text', fallback: '', role: 100, form: 'line' },
  SMTPFrom: { type: 'text', fallback: '', role: 100, form: 'line' },
  SMTPToken: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
} as const satisfies OptionRows;
