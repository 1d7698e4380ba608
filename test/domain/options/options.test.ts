import { describe, expect, it } from 'vitest';
import { readOptionText } from '../../../src/domain/options/read.ts';
import {
  isOptionKey,
  mayUseOption,
  OPTION_KEYS,
  OptionValues,
  optionRowOf,
} from '../../../src/domain/options/registry.ts';
import { optionSummary } from '../../../src/domain/options/summary.ts';
import type { ReverseProxy } from '../../../src/domain/reverse-proxies.ts';
import { outcome } from './option-outcome.ts';

/** Every key in compatible dashboards, scripts and existing databases, and our own maps. */
const KEYS = `
PasswordLoginEnabled PasswordRegisterEnabled RegisterEnabled UsernameChangeEnabled EmailVerificationEnabled
EmailDomainRestrictionEnabled EmailAliasRestrictionEnabled EmailDomainWhitelist
TurnstileCheckEnabled TurnstileSiteKey TurnstileSecretKey
SMTPServer SMTPPort SMTPSSLEnabled SMTPAccount SMTPFrom SMTPToken
GitHubOAuthEnabled GitHubClientId GitHubClientSecret
LinuxDOOAuthEnabled LinuxDOClientId LinuxDOClientSecret LinuxDOMinimumTrustLevel
TelegramOAuthEnabled TelegramBotName TelegramBotToken
WeChatAuthEnabled WeChatServerAddress WeChatAccountQRCodeImageURL WeChatServerToken
oidc.enabled oidc.client_id oidc.client_secret oidc.well_known oidc.authorization_endpoint
oidc.token_endpoint oidc.user_info_endpoint
SystemName DefaultLanguage Logo Notice HomePageContent About legal.user_agreement legal.privacy_policy Footer ImageOrigins custom_head_html global_css global_js
general_setting.docs_link Chats DefaultCollapseSidebar DisplayInCurrencyEnabled
DisplayTokenStatEnabled
ServerAddress WorkerUrl WorkerValidKey ReverseProxyEnabled ReverseProxyProvider
PayAddress EpayId EpayKey CustomCallbackAddress Price MinTopUp MaxTopUp TopupGroupRatio TopUpLink
QuotaPerUnit QuotaForNewUser PreConsumedQuota MissingMaxTokens AffEnabled QuotaForInviter QuotaForInvitee
RebateEnabled RebatePercentage RebateOnGiftCodes CheckInEnabled CheckInQuota CheckInMaxQuota
ModelRatio ModelPrice CompletionRatio CacheRatio CacheCreationRatio AudioRatio
AudioCompletionRatio ModelRates SyncedRates AutoGroups WebSearchPrice FileSearchPrice CodeInterpreterPrice ServiceTierRatio
PriceSourceUrl PriceSyncHours PriceSyncTakes ModelOutputLimits
GroupRatio UserUsableGroups
fallback_pricing_enabled fallback_single_price fallback_input_ratio fallback_completion_ratio
ModelRequestRateLimitEnabled ModelRequestRateLimitDurationMinutes ModelRequestRateLimitCount
ModelRequestRateLimitSuccessCount GroupMaxConcurrency GroupTokensPerMinute
global.rate_limit_exempt_enabled global.rate_limit_exempt_group
RetryTimes FirstContentTimeoutSeconds ChannelAffinity ChannelAffinityMinutes KeyRestSeconds
global.pass_through_request_enabled global.hide_upstream_error_enabled
global.block_browser_extension_enabled general_setting.ping_interval_enabled
general_setting.ping_interval_seconds StreamCacheQueueLength FileUploadPermission
FileDownloadPermission ImageUploadPermission ImageDownloadPermission
gemini.safety_settings gemini.version_settings gemini.supported_imagine_models
gemini.thinking_adapter_enabled gemini.thinking_adapter_budget_tokens_percentage
gemini.models_supported_thinking_budget claude.model_headers_settings claude.default_max_tokens
claude.thinking_adapter_enabled claude.thinking_adapter_budget_tokens_percentage
ChannelDisableThreshold AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled
AutomaticDisableKeywords ChannelTestFrequency ChannelUpdateFrequency QuotaRemindThreshold AlertDestinations
LogConsumeEnabled LogChatContentEnabled LogErrorEnabled FailedCallDays DataExportEnabled DataExportInterval
DataExportDefaultTime LogRetentionDays LogClearRootOnly LogDefaultRange
CheckSensitiveEnabled CheckSensitiveOnPromptEnabled SensitiveWords global.safe_check_exempt_enabled
global.safe_check_exempt_group SafeCheckExemptEnabled SafeCheckExemptGroup StopOnSensitiveEnabled
DrawingEnabled TaskEnabled MjNotifyEnabled MjAccountFilterEnabled MjModeClearEnabled
MjForwardUrlEnabled MjActionCheckSuccessEnabled
SelfUseModeEnabled DemoSiteEnabled LegacyListsEnabled`
  .trim()
  .split(/\s+/);

const SECRETS = [
  'AlertDestinations',
  'EpayKey',
  'GitHubClientSecret',
  'LinuxDOClientSecret',
  'SMTPToken',
  'TelegramBotToken',
  'TurnstileSecretKey',
  'WeChatServerToken',
  'WorkerValidKey',
  'oidc.client_secret',
];

const SUPER_ADMIN_ONLY = [
  ...SECRETS,
  'CustomCallbackAddress',
  'DemoSiteEnabled',
  'EpayId',
  'LogClearRootOnly',
  'PayAddress',
  'SMTPAccount',
  'SMTPFrom',
  'SMTPPort',
  'SMTPSSLEnabled',
  'SMTPServer',
  'SelfUseModeEnabled',
  'ServerAddress',
  'TopUpLink',
  'TurnstileCheckEnabled',
  'TurnstileSiteKey',
  'WeChatServerAddress',
  'WorkerUrl',
  'custom_head_html',
  'global_css',
  'global_js',
  'oidc.authorization_endpoint',
  'oidc.token_endpoint',
  'oidc.user_info_endpoint',
  'oidc.well_known',
];

const DEFAULTS = new OptionValues();

describe('the option registry', () => {
  it('has exactly the known keys, each once', () => {
    expect([...OPTION_KEYS].sort()).toEqual([...KEYS].sort());
  });

  it.each(OPTION_KEYS)('reads the default of %s and writes the same text back', (key) => {
    const row = optionRowOf(key);
    const reading = readOptionText(row, row.fallback);
    expect(reading).toMatchObject({ stored: row.fallback });
  });

  it('marks every secret and nothing else as secret', () => {
    const marked = OPTION_KEYS.filter((key) => optionRowOf(key).secret);
    expect([...marked].sort()).toEqual([...SECRETS].sort());
  });

  it('treats every key with a secret suffix as secret, except the public captcha site key', () => {
    const named = OPTION_KEYS.filter((key) => /(?:token|secret|key)$/i.test(key));
    expect(named.filter((key) => !optionRowOf(key).secret)).toEqual(['TurnstileSiteKey']);
  });

  it('reserves money, identity, mail, markup and modes for the super admin', () => {
    const high = OPTION_KEYS.filter((key) => optionRowOf(key).role === 100);
    expect([...high].sort()).toEqual([...SUPER_ADMIN_ONLY].sort());
    expect(mayUseOption(10, 'EpayKey')).toBe(false);
    expect(mayUseOption(100, 'EpayKey')).toBe(true);
    expect(mayUseOption(10, 'RetryTimes')).toBe(true);
    expect(mayUseOption(1, 'RetryTimes')).toBe(false);
  });

  it('never shows a secret to guests', () => {
    expect(OPTION_KEYS.filter((key) => optionRowOf(key).secret && optionRowOf(key).public)).toEqual(
      [],
    );
  });

  it('names only existing options as companions, and only those that can be empty', () => {
    const needed = OPTION_KEYS.flatMap((key) => {
      const row = optionRowOf(key);
      return row.type === 'bool' ? [row.needs ?? [], row.uses ?? []].flat() : [];
    });
    expect(needed).toHaveLength(13);
    expect(needed.filter((key) => !isOptionKey(key))).toEqual([]);
  });

  it('describes each option in one short line that ends with a full stop', () => {
    const poor = OPTION_KEYS.filter((key) => !/^[A-Z].{10,89}\.$/.test(optionSummary(key, 'en')));
    expect(poor).toEqual([]);
  });

  it('does not treat inherited object properties as options', () => {
    expect(isOptionKey('constructor')).toBe(false);
    expect(outcome('toString', 'x')).toBe('option_unknown');
  });
});

describe('option defaults', () => {
  it('have the types of their rows', () => {
    const retries: number = DEFAULTS.get('RetryTimes');
    const single: number | null = DEFAULTS.get('fallback_single_price');
    const provider: ReverseProxy = DEFAULTS.get('ReverseProxyProvider');
    const words: readonly string[] = DEFAULTS.get('SensitiveWords');
    const ratios: Readonly<Record<string, number>> = DEFAULTS.get('GroupRatio');
    // @ts-expect-error a text is not a number
    const wrong: number = DEFAULTS.get('Notice');
    expect([retries, single, provider, words, ratios.vip, wrong]).toEqual([
      0,
      null,
      'nginx',
      ['test_sensitive'],
      1,
      '',
    ]);
  });
});
