/**
 * Options for the site's appearance. Markup that runs on every page, including administrators'
 * pages, is restricted to the super admin.
 */
import { LANGUAGES } from '../../languages.ts';
import { imageLink, imageOrigins, styleSheet, webAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';
import { CHOICE, JSON_VALUE, LINE, SWITCH, TEXT } from '../row-bases.ts';

/** Deep links of well-known chat clients, in each client's format for a custom endpoint. */
const DEFAULT_CHATS = JSON.stringify([
  { NextChat: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  {
    LobeChat:
      'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
  },
  {
    'AI as Workspace':
      'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { AMA: 'ama://set-api-key?server={address}&key={key}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
]);

export const presentationOptions = {
  LegacyListsEnabled: SWITCH,
  SystemName: { ...LINE, fallback: 'AI Model Gateway', public: true },
  DefaultLanguage: { ...CHOICE, fallback: 'zh', public: true, choices: LANGUAGES },
  Logo: { ...LINE, public: true, check: imageLink },
  Notice: { ...TEXT, public: true },
  HomePageContent: { ...TEXT, public: true },
  About: { ...TEXT, public: true },
  'legal.user_agreement': { ...TEXT, public: true },
  'legal.privacy_policy': { ...TEXT, public: true },
  Footer: { ...TEXT, public: true },
  ImageOrigins: {
    type: 'list',
    fallback: 'https://cdn.discordapp.com,https://*.suno.ai',
    role: 10,
    check: imageOrigins,
  },
  custom_head_html: { ...TEXT, role: 100, public: true },
  global_css: { ...TEXT, role: 100, public: true, check: styleSheet },
  global_js: { ...TEXT, role: 100, public: true },
  'general_setting.docs_link': { ...LINE, public: true, check: webAddress },
  Chats: { ...JSON_VALUE, fallback: DEFAULT_CHATS, public: true, shape: 'chat_links' },
  DefaultCollapseSidebar: { ...SWITCH, public: true },
  DisplayInCurrencyEnabled: { ...SWITCH, fallback: 'true', public: true },
  DisplayTokenStatEnabled: { ...SWITCH, fallback: 'true' },
} as const satisfies OptionRows;
