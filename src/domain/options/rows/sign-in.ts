/**
 * Options of identity providers. Secrets and all provider endpoints are restricted to the super
 * admin: a response from a forged endpoint could name any account.
 */
import { imageLink, webAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';

export const signInOptions = {
  GitHubOAuthEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    needs: 'GitHubClientId',
    uses: 'GitHubClientSecret',
  },
  GitHubClientId: { type: 'text', fallback: '', role: 10, public: true, form: 'line' },
  GitHubClientSecret: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  LinuxDOOAuthEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    needs: 'LinuxDOClientId',
    uses: 'LinuxDOClientSecret',
  },
  LinuxDOClientId: { type: 'text', fallback: '', role: 10, public: true, form: 'line' },
  LinuxDOClientSecret: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  LinuxDOMinimumTrustLevel: { type: 'int', fallback: '0', role: 10, public: true, min: 0, max: 4 },
  TelegramOAuthEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    needs: 'TelegramBotToken',
  },
  TelegramBotName: { type: 'text', fallback: '', role: 10, public: true, form: 'line' },
  TelegramBotToken: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  WeChatAuthEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    needs: 'WeChatServerAddress',
    uses: 'WeChatServerToken',
  },
  WeChatServerAddress: {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'address',
    check: webAddress,
  },
  WeChatAccountQRCodeImageURL: {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    form: 'line',
    check: imageLink,
  },
  WeChatServerToken: { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  'oidc.enabled': {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    needs: 'oidc.client_id',
    uses: 'oidc.client_secret',
  },
  'oidc.client_id': { type: 'text', fallback: '', role: 10, public: true, form: 'line' },
  'oidc.client_secret': { type: 'text', fallback: '', role: 100, secret: true, form: 'line' },
  'oidc.well_known': { type: 'text', fallback: '', role: 100, form: 'line', check: webAddress },
  'oidc.authorization_endpoint': {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    form: 'line',
    check: webAddress,
  },
  'oidc.token_endpoint': { type: 'text', fallback: '', role: 100, form: 'line', check: webAddress },
  'oidc.user_info_endpoint': {
    type: 'text',
    fallback: '',
    role: 100,
    form: 'line',
    check: webAddress,
  },
} as const satisfies OptionRows;
