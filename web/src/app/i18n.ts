/** Chinese comes with the first load and fills every gap; English is fetched when it is chosen. */
import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { keepChoice, onChoiceElsewhere, readChoice, STORED } from '../lib/stored.ts';
import zh from '../locales/zh.json';

type Texts = Record<keyof typeof zh, string>;

/** Each by its own name, which is the one its readers look for. */
export const LANGUAGES = {
  zh: { name: '中文', htmlLang: 'zh-CN' },
  en: { name: 'English', htmlLang: 'en' },
} as const;

export type Language = keyof typeof LANGUAGES;

declare module 'i18next' {
  interface CustomTypeOptions {
    keySeparator: false;
    nsSeparator: false;
    resources: { translation: Texts };
  }
}

const lazyTexts: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, _namespace, done) => {
    loadTexts(language).then(
      (texts) => done(null, texts),
      (error: Error) => done(error, null),
    );
  },
};

async function loadTexts(language: string): Promise<Texts> {
  return language === 'en' ? (await import('../locales/en.json')).default : zh;
}

/** Resolves when the texts of the stored language are there, so no other language shows first. */
export async function startTexts(): Promise<void> {
  i18next.on('languageChanged', markPage);
  onChoiceElsewhere(STORED.language, () => void i18next.changeLanguage(storedLanguage()));
  await i18next
    .use(lazyTexts)
    .use(initReactI18next)
    .init({
      lng: storedLanguage(),
      fallbackLng: 'zh',
      supportedLngs: Object.keys(LANGUAGES),
      resources: { zh: { translation: zh } },
      partialBundledLanguages: true,
      keySeparator: false,
      nsSeparator: false,
      // React escapes what it prints.
      interpolation: { escapeValue: false },
    });
}

export async function chooseLanguage(language: Language): Promise<void> {
  await i18next.changeLanguage(language);
  keepChoice(STORED.language, language);
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

function storedLanguage(): Language {
  return readChoice(STORED.language, ['zh', 'en'], 'zh');
}

/** Screen readers and the browser's own typography go by this. */
function markPage(language: string): void {
  if (isLanguage(language)) document.documentElement.lang = LANGUAGES[language].htmlLang;
}
