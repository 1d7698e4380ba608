/** The section and tab of every option. Each option occurs exactly once. */

import type { OptionKey } from '../../../../../src/domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../../../../src/domain/options/rows/pricing.ts';

/** Without effect, kept for older installations; shown read-only. */
export const LEGACY_OPTIONS = [
  'StreamCacheQueueLength',
  'FileUploadPermission',
  'FileDownloadPermission',
  'ImageUploadPermission',
  'ImageDownloadPermission',
  'SafeCheckExemptEnabled',
  'SafeCheckExemptGroup',
  'StopOnSensitiveEnabled',
] as const satisfies readonly OptionKey[];

/** An option with its own field. */
export type FormKey = Exclude<OptionKey, (typeof LEGACY_OPTIONS)[number]>;

type Sections = Readonly<Record<string, readonly FormKey[]>>;

export const OPERATION_SECTIONS = {
  general: [
    'TopUpLink',
    'general_setting.docs_link',
    'QuotaPerUnit',
    'RetryTimes',
    'DefaultLanguage',
    'DisplayInCurrencyEnabled',
    'DisplayTokenStatEnabled',
    'DefaultCollapseSidebar',
    'ImageOrigins',
    'DemoSiteEnabled',
    'LegacyListsEnabled',
    'SelfUseModeEnabled',
  ],
  drawing: [
    'DrawingEnabled',
    'TaskEnabled',
    'MjNotifyEnabled',
    'MjAccountFilterEnabled',
    'MjForwardUrlEnabled',
    'MjModeClearEnabled',
    'MjActionCheckSuccessEnabled',
  ],
  sensitive: ['CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled', 'SensitiveWords'],
  logs: [
    'LogConsumeEnabled',
    'LogChatContentEnabled',
    'LogErrorEnabled',
    'FailedCallDays',
    'LogRetentionDays',
    'LogClearRootOnly',
    'LogDefaultRange',
  ],
  dataBoard: ['DataExportEnabled', 'DataExportInterval', 'DataExportDefaultTime'],
  monitoring: [
    'ChannelDisableThreshold',
    'FirstContentTimeoutSeconds',
    'KeyRestSeconds',
    'ChannelAffinity',
    'ChannelAffinityMinutes',
    'QuotaRemindThreshold',
    'AutomaticDisableChannelEnabled',
    'AutomaticEnableChannelEnabled',
    'ChannelTestFrequency',
    'ChannelUpdateFrequency',
    'AutomaticDisableKeywords',
  ],
  checkIn: ['CheckInEnabled', 'CheckInQuota', 'CheckInMaxQuota'],
  quota: [
    'QuotaForNewUser',
    'MissingMaxTokens',
    'PreConsumedQuota',
    'ModelOutputLimits',
    'QuotaForInviter',
    'QuotaForInvitee',
    'AffEnabled',
  ],
  rebate: ['RebateEnabled', 'RebatePercentage', 'RebateOnGiftCodes'],
  chats: ['Chats'],
  groups: ['GroupRatio', 'UserUsableGroups'],
  autoGroups: ['AutoGroups'],
  fallback: [
    'fallback_pricing_enabled',
    'fallback_single_price',
    'fallback_input_ratio',
    'fallback_completion_ratio',
  ],
  presets: ['PriceSourceUrl', 'PriceSyncHours', 'PriceSyncTakes'],
  prices: [...PRICE_OPTIONS, 'SyncedRates'],
} as const satisfies Sections;

const RATE_LIMIT = {
  limit: [
    'ModelRequestRateLimitEnabled',
    'ModelRequestRateLimitDurationMinutes',
    'ModelRequestRateLimitCount',
    'ModelRequestRateLimitSuccessCount',
    'GroupMaxConcurrency',
    'GroupTokensPerMinute',
  ],
} as const satisfies Sections;

const MODELS = {
  global: [
    // A switch and the values it needs are next to each other.
    'global.rate_limit_exempt_enabled',
    'global.rate_limit_exempt_group',
    'global.safe_check_exempt_enabled',
    'global.safe_check_exempt_group',
    'general_setting.ping_interval_enabled',
    'general_setting.ping_interval_seconds',
    'global.pass_through_request_enabled',
    'global.hide_upstream_error_enabled',
    'global.block_browser_extension_enabled',
  ],
  gemini: [
    'gemini.thinking_adapter_enabled',
    'gemini.thinking_adapter_budget_tokens_percentage',
    'gemini.safety_settings',
    'gemini.version_settings',
    'gemini.supported_imagine_models',
    'gemini.models_supported_thinking_budget',
  ],
  claude: [
    'claude.thinking_adapter_enabled',
    'claude.thinking_adapter_budget_tokens_percentage',
    'claude.default_max_tokens',
    'claude.model_headers_settings',
  ],
} as const satisfies Sections;

const SYSTEM = {
  address: ['ServerAddress'],
  proxy: ['ReverseProxyEnabled', 'ReverseProxyProvider'],
  worker: ['WorkerUrl', 'WorkerValidKey'],
  payment: [
    'PayAddress',
    'EpayId',
    'EpayKey',
    'CustomCallbackAddress',
    'Price',
    'MinTopUp',
    'MaxTopUp',
    'TopupGroupRatio',
  ],
  accounts: [
    'PasswordLoginEnabled',
    'PasswordRegisterEnabled',
    'RegisterEnabled',
    'EmailVerificationEnabled',
    'UsernameChangeEnabled',
  ],
  domains: [
    'EmailDomainRestrictionEnabled',
    'EmailAliasRestrictionEnabled',
    'EmailDomainWhitelist',
  ],
  smtp: ['SMTPServer', 'SMTPPort', 'SMTPSSLEnabled', 'SMTPAccount', 'SMTPFrom', 'SMTPToken'],
  alerts: ['AlertDestinations'],
  oidc: [
    'oidc.enabled',
    'oidc.client_id',
    'oidc.client_secret',
    'oidc.well_known',
    'oidc.authorization_endpoint',
    'oidc.token_endpoint',
    'oidc.user_info_endpoint',
  ],
  github: ['GitHubOAuthEnabled', 'GitHubClientId', 'GitHubClientSecret'],
  linuxdo: [
    'LinuxDOOAuthEnabled',
    'LinuxDOClientId',
    'LinuxDOClientSecret',
    'LinuxDOMinimumTrustLevel',
  ],
  wechat: [
    'WeChatAuthEnabled',
    'WeChatServerAddress',
    'WeChatServerToken',
    'WeChatAccountQRCodeImageURL',
  ],
  telegram: ['TelegramOAuthEnabled', 'TelegramBotToken', 'TelegramBotName'],
  turnstile: ['TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey'],
} as const satisfies Sections;

/** The site's content and appearance: each option has its own section and is saved alone. */
const OTHER = {
  version: [],
  notice: ['Notice'],
  name: ['SystemName'],
  logo: ['Logo'],
  home: ['HomePageContent'],
  about: ['About'],
  agreement: ['legal.user_agreement'],
  privacy: ['legal.privacy_policy'],
  footer: ['Footer'],
  head: ['custom_head_html'],
  css: ['global_css'],
  js: ['global_js'],
  jobs: [],
  audit: [],
  advanced: [],
} as const satisfies Sections;

export const TABS = {
  operation: OPERATION_SECTIONS,
  ratelimit: RATE_LIMIT,
  models: MODELS,
  system: SYSTEM,
  other: OTHER,
} as const;

export type TabName = keyof typeof TABS;
type NamesOf<T> = T extends unknown ? keyof T : never;
export type SectionName = NamesOf<(typeof TABS)[TabName]>;

export interface SettingSection {
  readonly name: SectionName;
  readonly keys: readonly FormKey[];
}

export const TAB_NAMES = Object.keys(TABS) as TabName[]; // the keys of the table above

export function sectionsOf(tab: TabName): readonly SettingSection[] {
  const entries: [string, readonly FormKey[]][] = Object.entries(TABS[tab]);
  return entries.map(([name, keys]) => ({ name: name as SectionName, keys })); // keys of that table
}

/** The tab and section of an option's field. */
export function locationOf(key: FormKey): { readonly tab: TabName; readonly section: SectionName } {
  for (const tab of TAB_NAMES)
    for (const { name, keys } of sectionsOf(tab))
      if (keys.includes(key)) return { tab, section: name };
  throw new TypeError(`option ${key} has no section`);
}
