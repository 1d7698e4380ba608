/** Public information about this site. */

import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { Status, statusCalls } from '../../api/site/status.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { isTopUpOpen } from '../billing/payments/all.ts';
import { acceptedDomains } from '../credentials/email-addresses.ts';
import { isSetUp } from './setup-state.ts';

type Calls = Service<typeof statusCalls, Context>;

export const get: Calls['get'] = async (ctx) => {
  const options = ctx.options();
  return {
    version: ctx.version,
    start_time: Math.floor(performance.timeOrigin / 1000),
    setup: await isSetUp(ctx.reads),
    ...publicOptions(options),
    enable_online_topup: isTopUpOpen(options),
    // Charges are always committed in batches; there is no in-memory accumulation as that switch
    // implies.
    enable_batch_update: false,
    chats: options.get('Chats').map((entry) => ({ ...entry })),
  };
};

/** @throws AppError database_unreachable. */
export const test: Calls['test'] = async (ctx) => {
  try {
    await ctx.db.raw('select 1');
  } catch (cause) {
    throw new AppError('database_unreachable', { location: ctx.engine }, { cause });
  }
};

type Computed = 'version' | 'start_time' | 'setup' | 'enable_online_topup' | 'enable_batch_update';
type Plain = Omit<z.input<typeof Status>, Computed | 'chats'>;

function publicOptions(options: OptionValues): Plain {
  return {
    system_name: options.get('SystemName'),
    default_language: options.get('DefaultLanguage'),
    logo: options.get('Logo'),
    footer_html: options.get('Footer'),
    server_address: options.get('ServerAddress'),
    docs_link: options.get('general_setting.docs_link'),
    user_agreement_enabled: options.get('legal.user_agreement').trim() !== '',
    privacy_policy_enabled: options.get('legal.privacy_policy').trim() !== '',
    top_up_link: options.get('TopUpLink'),
    email_verification: options.get('EmailVerificationEnabled'),
    email_domains: acceptedDomains(options) ?? [],
    github_oauth: options.get('GitHubOAuthEnabled'),
    github_client_id: options.get('GitHubClientId'),
    linuxdo_oauth: options.get('LinuxDOOAuthEnabled'),
    linuxdo_client_id: options.get('LinuxDOClientId'),
    linuxdo_minimum_trust_level: options.get('LinuxDOMinimumTrustLevel'),
    telegram_oauth: options.get('TelegramOAuthEnabled'),
    telegram_bot_name: options.get('TelegramBotName'),
    wechat_login: options.get('WeChatAuthEnabled'),
    wechat_qrcode: options.get('WeChatAccountQRCodeImageURL'),
    oidc_enabled: options.get('oidc.enabled'),
    oidc_client_id: options.get('oidc.client_id'),
    oidc_authorization_endpoint: options.get('oidc.authorization_endpoint'),
    turnstile_check: options.get('TurnstileCheckEnabled'),
    turnstile_site_key: options.get('TurnstileSiteKey'),
    register_enabled: options.get('RegisterEnabled') && !options.get('SelfUseModeEnabled'),
    password_login_enabled: options.get('PasswordLoginEnabled'),
    password_register_enabled: options.get('PasswordRegisterEnabled'),
    price: options.get('Price'),
    min_topup: options.get('MinTopUp'),
    quota_per_unit: options.get('QuotaPerUnit'),
    display_in_currency: options.get('DisplayInCurrencyEnabled'),
    enable_drawing: options.get('DrawingEnabled'),
    enable_task: options.get('TaskEnabled'),
    enable_data_export: options.get('DataExportEnabled'),
    log_default_range: options.get('LogDefaultRange'),
    data_export_default_time: options.get('DataExportDefaultTime'),
    default_collapse_sidebar: options.get('DefaultCollapseSidebar'),
    mj_notify_enabled: options.get('MjNotifyEnabled'),
    demo_site_enabled: options.get('DemoSiteEnabled'),
    self_use_mode_enabled: options.get('SelfUseModeEnabled'),
    check_in_enabled: options.get('CheckInEnabled'),
    aff_enabled: options.get('AffEnabled'),
  };
}
