/**
 * Options for sending e-mail. The mail server is restricted to the super admin,
 * because anyone who controls it can read password-reset links.
 */
import type { OptionRows } from '../row.ts';

export const mailOptions = {
  SMTPServer: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'line',
    summary: 'Host name of the mail server; if empty, no mail is sent.',
  },
  SMTPPort: {
    type: 'int',
    fallback: '587',
    role: 100,
    min: 1,
    max: 65_535,
    summary: 'Port of the mail server.',
  },
  SMTPSSLEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    summary: 'Uses TLS from the start of the connection, as on port 465.',
  },
  SMTPAccount: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'line',
    summary: 'Account at the mail server.',
  },
  SMTPFrom: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'line',
    summary: 'Sender address; if empty, the account is used.',
  },
  SMTPToken: {
    type: 'text',
    fallback: '',
    role: 100,
    secret: true,
    form: 'line',
    summary: 'Password of the mail account.',
  },
} as const satisfies OptionRows;
