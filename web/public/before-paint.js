// Runs before the first paint, so that a dark page never flashes white. The keys and their
// defaults are those of src/lib/browser/stored.ts.
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
  const known = ['zh', 'en'];
  const named = [...navigator.languages].map((each) => each.toLowerCase().split('-')[0]);
  const chosen = known.includes(language) ? language : named.find((each) => known.includes(each));
  root.lang = (chosen ?? root.dataset.language) === 'en' ? 'en' : 'zh-CN';
})();
