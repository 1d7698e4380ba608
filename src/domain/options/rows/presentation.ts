/**
 * Options for the site's appearance. Markup that runs on every page, including administrators'
 * pages, is restricted to the super admin.
 */
import { LANGUAGES } from '../../languages.ts';
import { imageLink, imageOrigins, styleSheet, webAddress } from '../checks.ts';
import type { OptionRows } from '../row.ts';

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
  LegacyListsEnabled: { type: 'bool', fallback: 'false', role: 10 },
  SystemName: { type: 'text', fallback: 'AI Model Gateway', role: 10, public: true, form: 'line' },
  DefaultLanguage: { type: 'choice', fallback: 'zh', role: 10, public: true, choices: LANGUAGES },
  Logo: { type: 'text', fallback: '', role: 10, public: true, form: 'line', check: imageLink },
  Notice: { type: 'text', fallback: '', role: 10, public: true },
  HomePageContent: { type: 'text', fallback: '', role: 10, public: true },
  About: { type: 'text', fallback: '', role: 10, public: true },
  'legal.user_agreement': { type: 'text', fallback: '', role: 10, public: true },
  'legal.privacy_policy': { type: 'text', fallback: '', role: 10, public: true },
  Footer: { type: 'text', fallback: '', role: 10, public: true },
  ImageOrigins: {
    type: 'list',
    fallback: 'https://cdn.discordapp.com,https://*.suno.ai',
    role: 10,
    check: imageOrigins,
  },
  custom_head_html: { type: 'text', fallback: '', role: 100, public: true },
  global_css: { type: 'text', fallback: '', role: 100, public: true, check: styleSheet },
  global_js: { type: 'text', fallback: '', role: 100, public: true },
  'general_setting.docs_link': {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    form: 'line',
    check: webAddress,
  },
  Chats: { type: 'json', fallback: DEFAULT_CHATS, role: 10, public: true, shape: 'chat_links' },
  DefaultCollapseSidebar: { type: 'bool', fallback: 'false', role: 10, public: true },
  DisplayInCurrencyEnabled: { type: 'bool', fallback: 'true', role: 10, public: true },
  DisplayTokenStatEnabled: { type: 'bool', fallback: 'true', role: 10 },
} as const satisfies OptionRows;
