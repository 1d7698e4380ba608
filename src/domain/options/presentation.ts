/**
 * Options for the site's appearance. Markup that runs on every page, including administrators'
 * pages, is restricted to the super admin.
 */
import { imageLink, imageOrigins, styleSheet, webAddress } from './checks.ts';
import type { OptionRows } from './row.ts';

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
  SystemName: {
    type: 'text',
    fallback: 'AI Model Gateway',
    role: 10,
    group: 'presentation',
    public: true,
    form: 'line',
    summary: 'Name in the console, the page title and mails.',
  },
  Logo: {
    type: 'text',
    fallback: '',
    role: 10,
    group: 'presentation',
    public: true,
    form: 'line',
    check: imageLink,
    summary: 'Logo: a web address, a path or a data:image address.',
  },
  Notice: {
    type: 'text',
    fallback: '',
    role: 10,
    group: 'presentation',
    public: true,
    summary: 'Banner text for everyone, in Markdown.',
  },
  HomePageContent: {
    type: 'text',
    fallback: '',
    role: 10,
    group: 'presentation',
    public: true,
    summary: 'Home page: Markdown, HTML, or an address to embed.',
  },
  About: {
    type: 'text',
    fallback: '',
    role: 10,
    group: 'presentation',
    public: true,
    summary: 'About page: Markdown, HTML, or an address to embed.',
  },
  Footer: {
    type: 'text',
    fallback: '',
    role: 10,
    group: 'presentation',
    public: true,
    summary: 'Footer in HTML; the console cleans it before showing it.',
  },
  ImageOrigins: {
    type: 'list',
    fallback: 'https://cdn.discordapp.com,https://*.suno.ai',
    role: 10,
    group: 'presentation',
    check: imageOrigins,
    summary: 'Sites whose images the console loads, besides those in its own texts; * for all.',
  },
  custom_head_html: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'presentation',
    public: true,
    summary: 'HTML put into the head of every console page.',
  },
  global_css: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'presentation',
    public: true,
    check: styleSheet,
    summary: 'Style sheet loaded by every console page.',
  },
  global_js: {
    type: 'text',
    fallback: '',
    role: 100,
    group: 'presentation',
    public: true,
    summary: 'Script loaded by every console page.',
  },
  'general_setting.docs_link': {
    type: 'text',
    fallback: '',
    role: 10,
    group: 'presentation',
    public: true,
    form: 'line',
    check: webAddress,
    summary: 'Address behind "Docs" in the top bar; empty hides it.',
  },
  Chats: {
    type: 'json',
    fallback: DEFAULT_CHATS,
    role: 10,
    group: 'presentation',
    public: true,
    shape: 'chat_links',
    summary: 'Chat clients offered for a token; {key} and {address} are filled in.',
  },
  DefaultCollapseSidebar: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'presentation',
    public: true,
    summary: 'Starts the console with the side menu collapsed.',
  },
  DisplayInCurrencyEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'presentation',
    public: true,
    summary: 'Shows quota as money instead of units.',
  },
  DisplayTokenStatEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    group: 'presentation',
    summary: 'Lets billing queries with an API token answer for that token alone.',
  },
} as const satisfies OptionRows;
