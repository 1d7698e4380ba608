/**
 * The console's local storage, one row per item. Every read tolerates an absent, foreign or invalid
 * value: storage may be full, disabled, or written by an older release.
 */

import { useSyncExternalStore } from 'react';
import {
  acceptedLanguage,
  isLanguage,
  LANGUAGES,
  type Language,
} from '../../../../src/domain/languages.ts';
import { isRole } from '../../../../src/domain/roles.ts';
import { isObject, parseJson } from '../../../../src/json/read-json.ts';
import type { SessionUser } from '../session/session-user.ts';
import type { Status } from '../site/site-status.ts';

export interface StoredItem<T> {
  readonly key: string;
  /** The stored value, or the item's default. The same text returns the same object. */
  read(): T;
  write(value: T): void;
  clear(): void;
}

/** The storage format of a value; `parse` returns undefined for invalid text. */
interface Form<T> {
  readonly parse: (text: string) => T | undefined;
  readonly print: (value: T) => string;
}

const FLAG: Form<boolean> = {
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  print: String,
};
const NUMBER: Form<number> = {
  parse: (text) => {
    const number = Number(text);
    return text.trim() !== '' && Number.isFinite(number) ? number : undefined;
  },
  print: String,
};
const TEXT: Form<string> = { parse: (text) => text, print: (value) => value };

function oneOf<T extends string>(...allowed: readonly T[]): Form<T> {
  return { parse: (text) => allowed.find((choice) => choice === text), print: (value) => value };
}

function json<T>(isValid: (value: unknown) => boolean): Form<T> {
  return {
    parse: (text) => {
      const value = parseJson(text);
      return isValid(value) ? (value as T) : undefined; // checked above
    },
    print: JSON.stringify,
  };
}

/** One page size for several lists: 10, 20, 50 or 100 rows. */
export const PAGE_SIZES = [10, 20, 50, 100] as const;
const pageSize: Form<number> = {
  parse: (text) => PAGE_SIZES.find((size) => String(size) === text),
  print: String,
};

/**
 * For readers who have not chosen a language: that of the browser, else of the site, which the
 * server writes into the page. `before-paint.js` has the same rule.
 */
function initialLanguage(): Language {
  if (typeof document === 'undefined') return 'zh';
  const site = document.documentElement.dataset.language;
  return acceptedLanguage(navigator.languages.join()) ?? (isLanguage(site) ? site : 'zh');
}

export const STORED = {
  user: optional<SessionUser>('user', json(isUser)),
  status: optional<Status>('status', json(isObject)),
  colourScheme: item('theme-mode', oneOf('light', 'dark', 'auto'), 'auto'),
  language: item('language', oneOf(...LANGUAGES), initialLanguage()),
  sideMenuFolded: optional<boolean>('default_collapse_sidebar', FLAG),
  dataExportOn: item('enable_data_export', FLAG, false),
  drawingOn: item('enable_drawing', FLAG, false),
  tasksOn: item('enable_task', FLAG, false),
  dataGranularity: item('data_export_default_time', oneOf('hour', 'day', 'week'), 'hour'),
  /** JSON text of the chat entries from the status; parsed by `lib/site/chat-links.ts`. */
  chats: item('chats', TEXT, ''),
  footerHtml: item('footer_html', TEXT, ''),
  quotaPerUnit: item('quota_per_unit', NUMBER, 500_000),
  displayInCurrency: item('display_in_currency', FLAG, true),
  pageSize: item('page-size', pageSize, 10),
  logPageSize: item('log-page-size', pageSize, 10),
  messagePageSize: item('message-page-size', pageSize, 10),
  tableDensity: item('table-density', oneOf('comfortable', 'compact'), 'comfortable'),
  channelTagMode: item('channel-tag-mode', FLAG, false),
  channelIdSort: item('channel-id-sort', FLAG, false),
  /** JSON text: the usual models by channel type, as last fetched. */
  channelModels: item('channel-models', TEXT, ''),
  modelsCollapsed: item('models-collapsed', FLAG, true),
  logViews: item('log-views', TEXT, ''),
  logTimesAreExact: item('log-times-are-exact', FLAG, false),
  onboardingDismissed: item('onboarding-dismissed', FLAG, false),
  /** Hash of the last notice that was read. */
  noticeRead: item('notice-read', TEXT, ''),
  lastSignIn: item('last-sign-in', TEXT, ''),
  /** Epoch milliseconds until which another email code cannot be requested. */
  codeWaitUntilMs: item('code-wait-until', NUMBER, 0),
  affCode: item('aff', TEXT, ''),
  /** JSON texts of the playground's chats and named settings. */
  playgroundConversations: item('playground-conversations', TEXT, ''),
  playgroundPresets: item('playground-presets', TEXT, ''),
} as const;

/** The user's column settings of one table, stored under `<table>-columns`. */
export interface ColumnChoice {
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Pixels by column, if the user changed it. */
  readonly widths?: Readonly<Record<string, number>>;
}

const columnItems = new Map<string, StoredItem<ColumnChoice>>();

export function storedColumns(table: string): StoredItem<ColumnChoice> {
  const known = columnItems.get(table);
  if (known) return known;
  const made = item<ColumnChoice>(`${table}-columns`, json(isColumnChoice), {
    order: [],
    hidden: [],
  });
  columnItems.set(table, made);
  return made;
}

/** The stored value and its setter; synced with other tabs and other uses of the item. */
export function useStored<T>(stored: StoredItem<T>): [T, (value: T) => void] {
  const value = useSyncExternalStore(onAnyChange, stored.read);
  return [value, stored.write];
}

const listeners = new Set<() => void>();

/** Calls the listener after every change of stored values, here or in another tab. */
export function onAnyChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function item<T>(key: string, { parse, print }: Form<T>, fallback: T): StoredItem<T> {
  let last: { text: string | null; value: T } | undefined;
  return {
    key,
    read: () => {
      const text = textOf(key);
      if (last?.text !== text || last === undefined) {
        last = { text, value: (text === null ? undefined : parse(text)) ?? fallback };
      }
      return last.value;
    },
    write: (value) => put(key, print(value)),
    clear: () => put(key, null),
  };
}

/** For items without a default. Writing undefined clears. */
function optional<T>(key: string, { parse, print }: Form<T>): StoredItem<T | undefined> {
  const kept = item<T | undefined>(
    key,
    { parse, print: (value) => (value === undefined ? '' : print(value)) },
    undefined,
  );
  return { ...kept, write: (value) => (value === undefined ? kept.clear() : kept.write(value)) };
}

/** Values that could not be stored last until the page is closed, as in private mode. */
const memory = new Map<string, string | null>();

function textOf(key: string): string | null {
  if (memory.has(key)) return memory.get(key) ?? null;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function put(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
  for (const listener of listeners) listener();
}

function isUser(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'number' &&
    typeof value.username === 'string' &&
    isRole(value.role)
  );
}

function isColumnChoice(value: unknown): boolean {
  return (
    isObject(value) &&
    Array.isArray(value.order) &&
    Array.isArray(value.hidden) &&
    (value.widths === undefined ||
      (isObject(value.widths) && Object.values(value.widths).every(Number.isFinite)))
  );
}
