// Runs before the first paint, so that a dark page never flashes white. The keys and their
// defaults are those of src/app/main.tsx and src/app/i18n.ts.
(() => {
  const root = document.documentElement;
  let mode = null;
  let language = null;
  try {
    mode = localStorage.getItem('theme-mode');
    language = localStorage.getItem('language');
  } catch {
    // Some private windows refuse storage: the system's colours and the default language hold.
  }
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = mode === 'dark' || (mode !== 'light' && systemIsDark);
  root.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  root.lang = language === 'en' ? 'en' : 'zh-CN';
})();
