/** Options for sign-up and sign-in, and the captcha that protects both. */
import { domainNames } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const accountOptions = {
  PasswordLoginEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Lets users sign in with a password.',
  },
  PasswordRegisterEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Lets visitors register with a password.',
  },
  RegisterEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Allows new accounts; if off, no way of registration works.',
  },
  UsernameChangeEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Lets users change their own username.',
  },
  EmailVerificationEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    uses: 'SMTPServer',
    summary: 'Requires a code sent by mail for registration.',
  },
  EmailDomainRestrictionEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    needs: 'EmailDomainWhitelist',
    summary: 'Accepts only e-mail addresses of the listed domains.',
  },
  EmailAliasRestrictionEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Refuses e-mail addresses with + or . before the @.',
  },
  EmailDomainWhitelist: {
    type: 'list',
    fallback:
      'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    role: 10,
    check: domainNames,
    summary: 'E-mail domains that are accepted while the domain restriction is on.',
  },
  TurnstileCheckEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    public: true,
    needs: 'TurnstileSiteKey',
    uses: 'TurnstileSecretKey',
    summary: 'Requires a captcha for sign-in, registration and other public calls.',
  },
  TurnstileSiteKey: {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    form: 'line',
    summary: 'Site key of the captcha; every visitor sees it.',
  },
  TurnstileSecretKey: {
    type: 'text',
    fallback: '',
    role: 100,
    secret: true,
    form: 'line',
    summary: 'Secret key of the captcha.',
  },
} as const satisfies OptionRows;
