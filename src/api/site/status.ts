/** Public facts about this site, read first by the console and the CLI. */
import * as z from 'zod/mini';
import { LANGUAGES } from '../../domain/languages.ts';
import { call } from '../call.ts';

export const Status = z.object({
  version: z.string(),
  /** Epoch seconds. */
  start_time: z.int(),
  setup: z.boolean(),
  system_name: z.string(),
  default_language: z.enum(LANGUAGES),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  docs_link: z.string(),
  /** The site has such a text. */
  user_agreement_enabled: z.boolean(),
  privacy_policy_enabled: z.boolean(),
  top_up_link: z.string(),
  email_verification: z.boolean(),
  /** The only accepted email domains; empty accepts all. */
  email_domains: z.array(z.string()),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  linuxdo_minimum_trust_level: z.int(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  oidc_enabled: z.boolean(),
  oidc_client_id: z.string(),
  oidc_authorization_endpoint: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  register_enabled: z.boolean(),
  password_login_enabled: z.boolean(),
  password_register_enabled: z.boolean(),
  price: z.number(),
  min_topup: z.number(),
  enable_online_topup: z.boolean(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  enable_batch_update: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  /** A word such as `24h`: what the usage log shows when it is opened. */
  log_default_range: z.string(),
  data_export_default_time: z.string(),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  chats: z.array(z.record(z.string(), z.string())),
  demo_site_enabled: z.boolean(),
  self_use_mode_enabled: z.boolean(),
  check_in_enabled: z.boolean(),
  aff_enabled: z.boolean(),
});

export const statusCalls = {
  get: call.guest('GET /api/status', {
    summary: 'Shows the version, the setup state and the public options',
    reply: Status,
  }),
  test: call.admin('GET /api/status/test', {
    summary: 'Checks that the database answers',
  }),
};
