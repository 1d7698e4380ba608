/** Options for sign-up and sign-in, and the captcha that protects both. */
import { domainNames } from '../checks.ts';
import type { OptionRows } from '../row.ts';
import { LINE, SECRET, SWITCH } from '../row-bases.ts';

export const accountOptions = {
  PasswordLoginEnabled: { ...SWITCH, fallback: 'true' },
  PasswordRegisterEnabled: { ...SWITCH, fallback: 'true' },
  RegisterEnabled: { ...SWITCH, fallback: 'true' },
  UsernameChangeEnabled: { ...SWITCH, fallback: 'true' },
  EmailVerificationEnabled: { ...SWITCH, public: true, uses: 'SMTPServer' },
  EmailDomainRestrictionEnabled: { ...SWITCH, needs: 'EmailDomainWhitelist' },
  EmailAliasRestrictionEnabled: SWITCH,
  EmailDomainWhitelist: {
    type: 'list',
    fallback:
      'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    role: 10,
    check: domainNames,
  },
  TurnstileCheckEnabled: {
    ...SWITCH,
    role: 100,
    public: true,
    needs: 'TurnstileSiteKey',
    uses: 'TurnstileSecretKey',
  },
  TurnstileSiteKey: { ...LINE, role: 100, public: true },
  TurnstileSecretKey: SECRET,
} as const satisfies OptionRows;
