/**
 * The English descriptions of all options: one line each for the docs, `gateway option list` and
 * the console's tooltips.
 */
import type { OptionKey } from './registry.ts';

export const ENGLISH_SUMMARIES: Readonly<Record<OptionKey, string>> = {
  PasswordLoginEnabled: 'Lets users sign in with a password.',
  PasswordRegisterEnabled: 'Lets visitors register with a password.',
  RegisterEnabled: 'Allows new accounts; if off, no way of registration works.',
  UsernameChangeEnabled: 'Lets users change their own username.',
  EmailVerificationEnabled: 'Requires a code sent by mail for registration.',
  EmailDomainRestrictionEnabled: 'Accepts only e-mail addresses of the listed domains.',
  EmailAliasRestrictionEnabled: 'Refuses e-mail addresses with + or . before the @.',
  EmailDomainWhitelist: 'E-mail domains that are accepted while the domain restriction is on.',
  TurnstileCheckEnabled: 'Requires a captcha for sign-in, registration and other public calls.',
  TurnstileSiteKey: 'Site key of the captcha; every visitor sees it.',
  TurnstileSecretKey: 'Secret key of the captcha.',
  SMTPServer: 'Host name of the mail server; if empty, no mail is sent.',
  SMTPPort: 'Port of the mail server.',
  SMTPSSLEnabled: 'Uses TLS from the start of the connection, as on port 465.',
  SMTPAccount: 'Account at the mail server.',
  SMTPFrom: 'Sender address; if empty, the account is used.',
  SMTPToken: 'Password of the mail account.',
  GitHubOAuthEnabled: 'Offers sign-in with GitHub.',
  GitHubClientId: 'Client ID of the GitHub OAuth app.',
  GitHubClientSecret: 'Client secret of the GitHub OAuth app.',
  LinuxDOOAuthEnabled: 'Offers sign-in with LINUX DO.',
  LinuxDOClientId: 'Client ID at LINUX DO.',
  LinuxDOClientSecret: 'Client secret at LINUX DO.',
  LinuxDOMinimumTrustLevel: 'Lowest LINUX DO trust level that may register.',
  TelegramOAuthEnabled: 'Offers sign-in with Telegram to accounts that are bound to it.',
  TelegramBotName: 'Name of the Telegram bot, for its sign-in widget.',
  TelegramBotToken: 'Token of the Telegram bot.',
  WeChatAuthEnabled: 'Offers sign-in with a WeChat code.',
  WeChatServerAddress: 'Address of the WeChat companion server.',
  WeChatAccountQRCodeImageURL: "Image of the WeChat account's QR code.",
  WeChatServerToken: 'Token for the WeChat companion server.',
  'oidc.enabled': 'Offers sign-in with an OpenID Connect provider.',
  'oidc.client_id': 'Client ID at the OpenID Connect provider.',
  'oidc.client_secret': 'Client secret at the OpenID Connect provider.',
  'oidc.well_known': "Address of the provider's discovery document.",
  'oidc.authorization_endpoint': 'Address to which the browser is sent for sign-in.',
  'oidc.token_endpoint': 'Address that exchanges the sign-in code for tokens.',
  'oidc.user_info_endpoint': 'Address that returns the identity of the user.',
  LegacyListsEnabled:
    'Answers lists of the management API as plain arrays that count pages from 0.',
  SystemName: 'Name of the site in the console, the page title and mails.',
  DefaultLanguage:
    'Language of the console, messages and mails for readers who have not chosen one.',
  Logo: 'Logo: a web address, a path or a data:image address.',
  Notice: 'Site notice for every visitor, in Markdown.',
  HomePageContent: 'Home page: Markdown, HTML, or the address of a page to embed.',
  About: 'About page: Markdown, HTML, or the address of a page to embed.',
  'legal.user_agreement':
    'User agreement, linked at sign-up: Markdown, HTML, or the address of a page to embed.',
  'legal.privacy_policy':
    'Privacy policy, linked at sign-up: Markdown, HTML, or the address of a page to embed.',
  Footer: 'Footer in HTML; the console sanitizes it.',
  ImageOrigins:
    'Sites from which the console loads images besides those in its own texts; * means all.',
  custom_head_html: 'HTML in the head of every console page.',
  global_css: 'Style sheet of every console page.',
  global_js: 'Script that every console page runs.',
  'general_setting.docs_link':
    'Address of the link "Docs" in the top bar; if empty, the link is hidden.',
  Chats: 'Chat clients that can open an API token; {key} and {address} are replaced.',
  DefaultCollapseSidebar: 'Collapses the side menu of the console at the first visit.',
  DisplayInCurrencyEnabled: 'Shows quota as money instead of units.',
  DisplayTokenStatEnabled: 'Limits billing queries with an API token to the figures of that token.',
  ServerAddress:
    'Public address of this gateway, for links and callbacks; by default its port on localhost.',
  WorkerUrl:
    'Fetch worker for addresses that users enter; if empty, the gateway fetches them itself.',
  WorkerValidKey: 'Key for the fetch worker.',
  ReverseProxyEnabled: 'Reads the client address from the headers of the reverse proxy.',
  ReverseProxyProvider: 'Type of the reverse proxy, which determines the headers to read.',
  PayAddress: 'Address of the Epay payment gateway.',
  EpayId: 'Merchant id at the payment gateway.',
  EpayKey: 'Merchant key; it signs orders and payment notices.',
  CustomCallbackAddress: 'Address for payment notices; if empty, the server address is used.',
  Price: 'Amount in the local currency for one US dollar of quota.',
  MinTopUp: 'Smallest amount of a top-up, in US dollars of quota.',
  MaxTopUp: 'Largest amount of a top-up, in US dollars of quota.',
  TopupGroupRatio: 'Ratio for the price of a top-up, by group.',
  TopUpLink: 'Address of a shop for redemption codes; if empty, the link is hidden.',
  QuotaPerUnit: 'Quota units in one US dollar; a change alters the value of every balance.',
  QuotaForNewUser: 'Quota granted to a new account.',
  PreConsumedQuota:
    'Tokens to hold for the answer of a call without max_tokens, if MissingMaxTokens is trust.',
  MissingMaxTokens: 'Handling of calls whose longest answer the balance does not cover.',
  AffEnabled: 'Turns on invitations: invite codes, rewards and transfers.',
  QuotaForInviter: 'Reward of the inviter for each new account.',
  QuotaForInvitee: 'Extra quota for an account that registers by invitation.',
  RebateEnabled: 'Grants inviters a rebate when users they invited top up.',
  RebatePercentage: 'Rebate in percent of a top-up.',
  RebateOnGiftCodes: 'Also grants the rebate for gift codes.',
  CheckInEnabled: 'Lets users claim quota with a daily check-in.',
  CheckInQuota: 'Quota of a check-in; the lower bound if a maximum is set.',
  CheckInMaxQuota: 'Upper bound of a random check-in reward; 0 means a fixed reward.',
  ModelRates: 'Whole prices in USD by model, with conditions, instead of the built-in ones.',
  ModelRatio: 'Input price by model as a ratio; 1 is 2 USD per million tokens.',
  ModelPrice:
    'Fixed price of a call by model, in US dollars; it takes precedence over every ratio.',
  CompletionRatio: 'Output price by model, relative to the input price.',
  CacheRatio: 'Price of tokens read from a cache, relative to the input price; 1 if not set.',
  CacheCreationRatio:
    'Price of tokens written to a cache, relative to the input price; 1.25 if not set.',
  AudioRatio: 'Price of audio input, relative to text input.',
  AudioCompletionRatio: 'Price of audio output, relative to audio input.',
  WebSearchPrice:
    'USD per 1,000 web searches of a model, by model; if not set, the price of its vendor.',
  FileSearchPrice: 'USD per 1,000 file searches of a model, by model; 2.5 if not set.',
  CodeInterpreterPrice:
    'USD per 1,000 containers in which the vendor runs code, by model; 30 if not set.',
  ServiceTierRatio:
    'Ratios of service tiers by model instead of the built-in ones; no others are forwarded.',
  SyncedRates:
    'Prices taken from a price list; own prices and newer built-in ones take precedence.',
  ModelOutputLimits: 'Maximum output tokens of an answer by model, instead of the built-in limit.',
  PriceSourceUrl: 'Price list to compare with: models.dev, openrouter, or the address of a list.',
  PriceSyncHours: 'Hours between two comparisons with the price source; 0: never.',
  PriceSyncTakes: 'Prices that this comparison adopts: none, those of served models, or all.',
  GroupRatio: 'Ratio for every charge, by group; also the list of all groups.',
  UserUsableGroups: 'Groups that users may choose for their API tokens, with descriptions.',
  AutoGroups:
    'Groups that API tokens of the group "auto" try in this order, if their owner may use them.',
  fallback_pricing_enabled:
    'Turns on the fallback price for models with neither a price nor a ratio.',
  fallback_single_price:
    'Fallback price of a call in US dollars; cannot be combined with the ratios.',
  fallback_input_ratio: 'Fallback input ratio; requires the completion ratio.',
  fallback_completion_ratio: 'Fallback completion ratio; requires the input ratio.',
  ModelRequestRateLimitEnabled: 'Limits how often each user may call models.',
  ModelRequestRateLimitDurationMinutes: 'Length of the period in minutes.',
  ModelRequestRateLimitCount: 'Calls per period, including failed ones; 0 means no limit.',
  ModelRequestRateLimitSuccessCount: 'Successful calls per period.',
  GroupMaxConcurrency:
    'Maximum simultaneous calls of all users of a group together, by group; no limit if not set.',
  GroupTokensPerMinute:
    'Maximum tokens per minute of all users of a group together, by group; no limit if not set.',
  'global.rate_limit_exempt_enabled': 'Exempts one group from the rate limit of calls.',
  'global.rate_limit_exempt_group': 'Group that is exempt from the rate limit of calls.',
  RetryTimes: 'Number of further channels to try after a failed attempt.',
  FirstContentTimeoutSeconds:
    'Maximum seconds until the first content of a stream; 0 means no separate limit.',
  ChannelAffinity:
    'Keeps a conversation at its channel: by its session id only, or also by its long prompt.',
  ChannelAffinityMinutes:
    'Minutes without a call after which a conversation may change its channel.',
  KeyRestSeconds: 'Cooldown in seconds of a refused key of several, if the upstream gives no time.',
  'global.pass_through_request_enabled':
    'Forwards request bodies unchanged, except for a mapped model name.',
  'global.hide_upstream_error_enabled': 'Hides error texts of upstreams from callers.',
  'global.block_browser_extension_enabled': 'Refuses calls from browser extensions.',
  'general_setting.ping_interval_enabled':
    'Sends comment lines in silent streams to keep them open, also before the upstream answers.',
  'general_setting.ping_interval_seconds':
    'Seconds of silence before such a comment line is sent; fewer than the proxy in front waits.',
  StreamCacheQueueLength: 'Has no effect; kept for older installations.',
  FileUploadPermission: 'Has no effect; kept for older installations.',
  FileDownloadPermission: 'Has no effect; kept for older installations.',
  ImageUploadPermission: 'Has no effect; kept for older installations.',
  ImageDownloadPermission: 'Has no effect; kept for older installations.',
  'gemini.safety_settings': 'Gemini safety threshold by harm category.',
  'gemini.version_settings': 'Gemini API version by model.',
  'gemini.supported_imagine_models': 'Gemini models that generate both text and images.',
  'gemini.thinking_adapter_enabled':
    'Accepts -thinking and -nothinking at the end of Gemini model names.',
  'gemini.thinking_adapter_budget_tokens_percentage':
    'Share of the output tokens that a Gemini model may use for thinking.',
  'gemini.models_supported_thinking_budget': 'Gemini models that accept a thinking budget.',
  'claude.model_headers_settings': 'Headers to send with calls to Claude models, by model.',
  'claude.default_max_tokens': 'Output limit by Claude model for calls that set none.',
  'claude.thinking_adapter_enabled': 'Accepts -thinking at the end of Claude model names.',
  'claude.thinking_adapter_budget_tokens_percentage':
    'Share of the output tokens that a Claude model may use for thinking.',
  ChannelDisableThreshold: 'Seconds after which a channel test counts as failed; 0 means no limit.',
  AutomaticDisableChannelEnabled:
    'Disables channels whose errors show that the key or account no longer works.',
  AutomaticEnableChannelEnabled:
    'Enables automatically disabled channels again when a test passes.',
  AutomaticDisableKeywords:
    'Phrases in upstream errors, but not in the request, that disable a key; one per line.',
  ChannelTestFrequency:
    'Minutes between two tests of all channels; 0: never, empty: by environment variable.',
  ChannelUpdateFrequency:
    'Minutes between two reads of all balances; 0: never, empty: by environment variable.',
  AlertDestinations:
    "Mail addresses and chat services that get the site's alerts, besides super administrators.",
  QuotaRemindThreshold:
    'Balance below which users are warned, unless they set their own threshold.',
  LogConsumeEnabled: 'Writes a log entry for every call; the dashboard counts these entries.',
  LogChatContentEnabled: 'Stores prompts and answers in the log entries.',
  LogErrorEnabled: 'Writes a log entry for every failed attempt.',
  FailedCallDays: 'Days for which records of failed calls are kept; 0 records none.',
  LogRetentionDays:
    'Days after which log entries are deleted, and their hours become days; 0 keeps both.',
  LogClearRootOnly: 'Lets only super administrators delete log entries.',
  LogDefaultRange: 'Time range that the usage log shows when it is opened.',
  DataExportEnabled: 'Collects the figures of the dashboard and shows it.',
  DataExportInterval: 'Minutes between two updates of the dashboard figures.',
  DataExportDefaultTime: 'Time step of the dashboard charts when the dashboard is opened.',
  CheckSensitiveEnabled: 'Main switch of the sensitive-word check.',
  CheckSensitiveOnPromptEnabled: 'Checks prompts for sensitive words.',
  SensitiveWords: 'One word per line; a line starting with regex: is a pattern.',
  'global.safe_check_exempt_enabled': 'Exempts one group from the sensitive-word check.',
  'global.safe_check_exempt_group': 'Group that is exempt from the sensitive-word check.',
  SafeCheckExemptEnabled: 'Has no effect; kept for older installations.',
  SafeCheckExemptGroup: 'Has no effect; kept for older installations.',
  StopOnSensitiveEnabled: 'Has no effect; kept for older installations.',
  DrawingEnabled: 'Shows the image task logs in the console.',
  TaskEnabled: 'Shows the task logs in the console.',
  MjNotifyEnabled:
    'Allows callbacks in image tasks; the upstream receives the address of this server.',
  MjAccountFilterEnabled: 'Lets callers choose the account at the upstream for image tasks.',
  MjModeClearEnabled: 'Removes --fast, --relax and --turbo from the prompts of image tasks.',
  MjForwardUrlEnabled: 'Serves the images of image tasks through this gateway.',
  MjActionCheckSuccessEnabled: 'Allows follow-up actions only on finished image tasks.',
  SelfUseModeEnabled:
    'For one person: registration is off, and models without a price can be called.',
  DemoSiteEnabled:
    "For demonstration: refuses writes outside the user's account, except to switch this off.",
};
