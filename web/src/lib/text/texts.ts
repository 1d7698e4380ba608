/**
 * The console's texts: one file per feature and language, and `core` for the shell and shared
 * components. The Chinese core texts are bundled and are the fallback; all others are loaded on
 * demand.
 */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import zh from '../../locales/zh/core.json';
import { onAnyChange, STORED } from '../browser/stored.ts';

/** Each named in its own language. */
export const LANGUAGES = {
  zh: { name: '中文', htmlLang: 'zh-CN' },
  en: { name: 'English', htmlLang: 'en' },
} as const;

export type Language = keyof typeof LANGUAGES;

/** A file's keys start with its name: `token.json` holds `token.create.title`. */
const FEATURES = {
  about: {
    zh: () => import('../../locales/zh/about.json'),
    en: () => import('../../locales/en/about.json'),
  },
  account: {
    zh: () => import('../../locales/zh/account.json'),
    en: () => import('../../locales/en/account.json'),
  },
  channel: {
    zh: () => import('../../locales/zh/channel.json'),
    en: () => import('../../locales/en/channel.json'),
  },
  chat: {
    zh: () => import('../../locales/zh/chat.json'),
    en: () => import('../../locales/en/chat.json'),
  },
  dashboard: {
    zh: () => import('../../locales/zh/dashboard.json'),
    en: () => import('../../locales/en/dashboard.json'),
  },
  home: {
    zh: () => import('../../locales/zh/home.json'),
    en: () => import('../../locales/en/home.json'),
  },
  inbox: {
    zh: () => import('../../locales/zh/inbox.json'),
    en: () => import('../../locales/en/inbox.json'),
  },
  log: {
    zh: () => import('../../locales/zh/log.json'),
    en: () => import('../../locales/en/log.json'),
  },
  message: {
    zh: () => import('../../locales/zh/message.json'),
    en: () => import('../../locales/en/message.json'),
  },
  playground: {
    zh: () => import('../../locales/zh/playground.json'),
    en: () => import('../../locales/en/playground.json'),
  },
  pricing: {
    zh: () => import('../../locales/zh/pricing.json'),
    en: () => import('../../locales/en/pricing.json'),
  },
  redemption: {
    zh: () => import('../../locales/zh/redemption.json'),
    en: () => import('../../locales/en/redemption.json'),
  },
  setting: {
    zh: () => import('../../locales/zh/setting.json'),
    en: () => import('../../locales/en/setting.json'),
  },
  setup: {
    zh: () => import('../../locales/zh/setup.json'),
    en: () => import('../../locales/en/setup.json'),
  },
  signIn: {
    zh: () => import('../../locales/zh/signIn.json'),
    en: () => import('../../locales/en/signIn.json'),
  },
  task: {
    zh: () => import('../../locales/zh/task.json'),
    en: () => import('../../locales/en/task.json'),
  },
  token: {
    zh: () => import('../../locales/zh/token.json'),
    en: () => import('../../locales/en/token.json'),
  },
  user: {
    zh: () => import('../../locales/zh/user.json'),
    en: () => import('../../locales/en/user.json'),
  },
  wallet: {
    zh: () => import('../../locales/zh/wallet.json'),
    en: () => import('../../locales/en/wallet.json'),
  },
};

export type FeatureName = keyof typeof FEATURES;

type FileOf<F extends FeatureName> = Awaited<ReturnType<(typeof FEATURES)[F]['zh']>>['default'];
type Files = { [F in FeatureName]: FileOf<F> };
type AllOf<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void
  ? A
  : never;
type Texts = Record<keyof typeof zh | keyof AllOf<Files[FeatureName]>, string>;

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false;
    nsSeparator: false;
    resources: { translation: Texts };
  }
}

const wanted = new Set<FeatureName>();
const fetched = new Set<string>();

/** Resolves when the texts of these features are loaded in the current language. */
export async function needTexts(features: readonly FeatureName[]): Promise<void> {
  for (const feature of features) wanted.add(feature);
  await fetchWanted(languageNow());
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
    // React escapes its output.
    interpolation: { escapeValue: false },
    react: { bindI18nStore: 'added' },
  });
  onAnyChange(() => void followChoice());
  await fetchWanted(language);
}

export function chooseLanguage(language: Language): void {
  STORED.language.write(language);
}

/**
 * Follows a change here or in another tab. Loads the texts first, so that all of them switch at
 * once.
 */
async function followChoice(): Promise<void> {
  const language = STORED.language.read();
  if (language === i18next.language) return;
  await fetchWanted(language);
  if (language === STORED.language.read()) await i18next.changeLanguage(language);
}

/** If a file fails to load, its keys fall back to Chinese, and the next call retries it. */
async function fetchWanted(language: Language): Promise<void> {
  const files = [...wanted].map((feature) =>
    fetchFile(`${language}/${feature}`, language, FEATURES[feature][language]),
  );
  if (language === 'en')
    files.push(fetchFile('en/core', language, () => import('../../locales/en/core.json')));
  await Promise.allSettled(files);
}

async function fetchFile(
  name: string,
  language: Language,
  load: () => Promise<{ default: Readonly<Record<string, string>> }>,
): Promise<void> {
  if (fetched.has(name)) return;
  const { default: texts } = await load();
  fetched.add(name);
  i18next.addResourceBundle(language, 'translation', texts, false, true);
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** Screen readers and the browser's typography depend on it. */
function markPage(language: string): void {
  if (isLanguage(language)) document.documentElement.lang = LANGUAGES[language].htmlLang;
}
