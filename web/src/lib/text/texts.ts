/**
 * The console's texts: one file per feature and language, and `core` for the shell and shared
 * components. The Chinese core texts are bundled and are the fallback; all others are loaded on
 * demand.
 */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { isLanguage, type Language } from '../../../../src/domain/languages.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import zh from '../../locales/zh/core.json';
import { onAnyChange, STORED } from '../browser/stored.ts';
import { listText } from './lists.ts';

/** Each named in its own language. */
export const LANGUAGES = {
  zh: { name: '中文', htmlLang: 'zh-CN' },
  en: { name: 'English', htmlLang: 'en' },
} as const satisfies Readonly<Record<Language, { name: string; htmlLang: string }>>;

export type { Language };

/** A file's keys start with its name: `token.json` holds `token.create.title`. */
interface FeatureTexts {
  about: typeof import('../../locales/zh/about.json');
  account: typeof import('../../locales/zh/account.json');
  budget: typeof import('../../locales/zh/budget.json');
  channel: typeof import('../../locales/zh/channel.json');
  chat: typeof import('../../locales/zh/chat.json');
  dashboard: typeof import('../../locales/zh/dashboard.json');
  home: typeof import('../../locales/zh/home.json');
  inbox: typeof import('../../locales/zh/inbox.json');
  log: typeof import('../../locales/zh/log.json');
  message: typeof import('../../locales/zh/message.json');
  playground: typeof import('../../locales/zh/playground.json');
  pricing: typeof import('../../locales/zh/pricing.json');
  redemption: typeof import('../../locales/zh/redemption.json');
  setting: typeof import('../../locales/zh/setting.json');
  setup: typeof import('../../locales/zh/setup.json');
  signIn: typeof import('../../locales/zh/signIn.json');
  task: typeof import('../../locales/zh/task.json');
  token: typeof import('../../locales/zh/token.json');
  user: typeof import('../../locales/zh/user.json');
  wallet: typeof import('../../locales/zh/wallet.json');
}

export type FeatureName = keyof FeatureTexts;

type TextKey = keyof typeof zh | { [F in FeatureName]: keyof FeatureTexts[F] }[FeatureName];

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false;
    nsSeparator: false;
    resources: { translation: Record<TextKey, string> };
  }
}

const LOADERS = import.meta.glob<{ default: Readonly<Record<string, string>> }>([
  '../../locales/*/*.json',
  '!../../locales/zh/core.json',
]);

const wanted = new Set<FeatureName>();
const fetched = new Set<string>();

/**
 * Resolves when the texts of these features are loaded in the current language, and rejects if one
 * fails to load: a screen is not shown without its texts. The next call retries it.
 */
export async function needTexts(features: readonly FeatureName[]): Promise<void> {
  for (const feature of features) wanted.add(feature);
  for (let language: Language | undefined; language !== languageNow(); ) {
    language = languageNow();
    await Promise.all(features.map((feature) => fetchFile(languageNow(), feature)));
  }
}

function languageNow(): Language {
  return isLanguage(i18next.language) ? i18next.language : STORED.language.read();
}

/** Resolves when the texts of the stored language are loaded, so that no other language flashes. */
export async function startTexts(): Promise<void> {
  const language = STORED.language.read();
  i18next.on('languageChanged', markPage);
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'zh',
    supportedLngs: Object.keys(LANGUAGES),
    resources: { zh: { translation: zh } },
    keySeparator: false,
    nsSeparator: false,
    // React escapes its output; here numbers are grouped and lists joined.
    interpolation: { escapeValue: true, useRawValueToEscape: true, escape: shownValue },
    react: { bindI18nStore: 'added' },
  });
  onAnyChange(() => void followChoice());
  await fetchAll(language).catch(() => undefined);
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return listText(value);
  return Number.isInteger(value) ? numberText(Number(value)) : String(value);
}

export function chooseLanguage(language: Language): void {
  STORED.language.write(language);
}

/**
 * Follows a change here or in another tab. Loads the texts first, so that all of them switch at
 * once; if that fails, the language stays until the next change.
 */
async function followChoice(): Promise<void> {
  const language = STORED.language.read();
  if (language === i18next.language) return;
  const isLoaded = await fetchAll(language).then(
    () => true,
    () => false,
  );
  if (isLoaded && language === STORED.language.read()) await i18next.changeLanguage(language);
}

/** Also of screens that are opened meanwhile. Rejects if a file fails to load. */
async function fetchAll(language: Language): Promise<void> {
  for (let count = -1; count !== wanted.size; ) {
    count = wanted.size;
    const names: string[] = [...wanted];
    if (language !== 'zh') names.push('core');
    await Promise.all(names.map((name) => fetchFile(language, name)));
  }
}

async function fetchFile(language: Language, name: string): Promise<void> {
  const path = `../../locales/${language}/${name}.json`;
  const load = LOADERS[path];
  if (load === undefined || fetched.has(path)) return;
  const { default: texts } = await load();
  fetched.add(path);
  i18next.addResourceBundle(language, 'translation', texts, false, true);
}

/** Screen readers and the browser's typography depend on it. */
function markPage(language: string): void {
  if (isLanguage(language)) document.documentElement.lang = LANGUAGES[language].htmlLang;
}
