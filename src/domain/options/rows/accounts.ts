/** Options for sign-up and sign-in, and the captcha that protects both. */
import { domainNames } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const accountOptions = {
  PasswordLoginEnabled: { type: 'bool', fallback: 'true', role: 10 },
  PasswordRegisterEnabled: { type: 'bool', fallback: 'true', role: 10 },
  RegisterEnabled: { type: 'bool', fallback: 'true', role: 10 },
  UsernameChangeEnabled: { type: 'bool', fallback: 'true', role: 10 },
  EmailVerificationEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    uses: 'SMTPServer',
  },
  EmailDomainRestrictionEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    needs: 'EmailDomainWhitelist',
  },
  EmailAliasRestrictionEnabled: { type: 'bool', fallback: 'false', role: 10 },
  EmailDomainWhitelist: {
    type: 'list',
    fallback:
      'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    role: 10,
    check: domainNames,
  },
  TurnstileCheckEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 100,
    public: true,
    needs: 'TurnstileSiteKey',
    uses: 'TurnstileSecretKey',
  },
  TurnstileSiteKey: { type: 'text', fallback: '', role: 100, public: true, form: 'line' },
  TurnstileSecretKey: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
} as const satisfies OptionRows;
