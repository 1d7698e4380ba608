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
  LegacyListsEnabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Answers lists of the management API as plain arrays that count pages from 0.',
  },
  SystemName: {
    type: 'text',
    fallback: 'AI Model Gateway',
    role: 10,
    public: true,
    form: 'line',
    summary: 'Name of the site in the console, the page title and mails.',
  },
  DefaultLanguage: {
    type: 'choice',
    fallback: 'zh',
    role: 10,
    public: true,
    choices: LANGUAGES,
    summary: 'Language of the console, messages and mails for readers who have not chosen one.',
  },
  Logo: {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    form: 'line',
    check: imageLink,
    summary: 'Logo: a web address, a path or a data:image address.',
  },
  Notice: {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    summary: 'Site notice for every visitor, in Markdown.',
  },
  HomePageContent: {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    summary: 'Home page: Markdown, HTML, or the address of a page to embed.',
  },
  About: {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    summary: 'About page: Markdown, HTML, or the address of a page to embed.',
  },
  'legal.user_agreement': {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    summary:
      'User agreement, linked at sign-up: Markdown, HTML, or the address of a page to embed.',
  },
  'legal.privacy_policy': {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    summary:
      'Privacy policy, linked at sign-up: Markdown, HTML, or the address of a page to embed.',
  },
  Footer: {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    summary: 'Footer in HTML; the console sanitizes it.',
  },
  ImageOrigins: {
    type: 'list',
    fallback: 'https://cdn.discordapp.com,https://*.suno.ai',
    role: 10,
    check: imageOrigins,
    summary:
      'Sites from which the console loads images besides those in its own texts; * means all.',
  },
  custom_head_html: {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    summary: 'HTML in the head of every console page.',
  },
  global_css: {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    check: styleSheet,
    summary: 'Style sheet of every console page.',
  },
  global_js: {
    type: 'text',
    fallback: '',
    role: 100,
    public: true,
    summary: 'Script that every console page runs.',
  },
  'general_setting.docs_link': {
    type: 'text',
    fallback: '',
    role: 10,
    public: true,
    form: 'line',
    check: webAddress,
    summary: 'Address of the link "Docs" in the top bar; if empty, the link is hidden.',
  },
  Chats: {
    type: 'json',
    fallback: DEFAULT_CHATS,
    role: 10,
    public: true,
    shape: 'chat_links',
    summary: 'Chat clients that can open an API token; {key} and {address} are replaced.',
  },
  DefaultCollapseSidebar: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    public: true,
    summary: 'Collapses the side menu of the console at the first visit.',
  },
  DisplayInCurrencyEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    public: true,
    summary: 'Shows quota as money instead of units.',
  },
  DisplayTokenStatEnabled: {
    type: 'bool',
    fallback: 'true',
    role: 10,
    summary: 'Limits billing queries with an API token to the figures of that token.',
  },
} as const satisfies OptionRows;
