/**
 * Options of identity providers. Secrets and all provider endpoints are restricted to the super
 * admin: a response from a forged endpoint could name any account.
 */
import { imageLink, webAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';
import { ADDRESS, COUNT, LINE, SECRET, SWITCH } from '../row-bases.ts';

export const signInOptions = {
  GitHubOAuthEnabled: {
    ...SWITCH,
    public: true,
    needs: 'GitHubClientId',
    uses: 'GitHubClientSecret',
  },
  GitHubClientId: { ...LINE, public: true },
  GitHubClientSecret: SECRET,
  LinuxDOOAuthEnabled: {
    ...SWITCH,
    public: true,
    needs: 'LinuxDOClientId',
    uses: 'LinuxDOClientSecret',
  },
  LinuxDOClientId: { ...LINE, public: true },
  LinuxDOClientSecret: SECRET,
  LinuxDOMinimumTrustLevel: { ...COUNT, public: true, max: 4 },
  TelegramOAuthEnabled: { ...SWITCH, public: true, needs: 'TelegramBotToken' },
  TelegramBotName: { ...LINE, public: true },
  TelegramBotToken: SECRET,
  WeChatAuthEnabled: {
    ...SWITCH,
    public: true,
    needs: 'WeChatServerAddress',
    uses: 'WeChatServerToken',
  },
  WeChatServerAddress: { ...ADDRESS, check: webAddress },
  WeChatAccountQRCodeImageURL: { ...LINE, public: true, check: imageLink },
  WeChatServerToken: SECRET,
  'oidc.enabled': { ...SWITCH, public: true, needs: 'oidc.client_id', uses: 'oidc.client_secret' },
  'oidc.client_id': { ...LINE, public: true },
  'oidc.client_secret': SECRET,
  'oidc.well_known': { ...LINE, role: 100, check: webAddress },
  'oidc.authorization_endpoint': { ...LINE, role: 100, public: true, check: webAddress },
  'oidc.token_endpoint': { ...LINE, role: 100, check: webAddress },
  'oidc.user_info_endpoint': { ...LINE, role: 100, check: webAddress },
} as const satisfies OptionRows;
