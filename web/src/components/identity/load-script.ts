/** Third-party scripts, each loaded once and only when needed on screen. */
const loaded = new Map<string, Promise<void>>();

/** Resolves when the script has run; a failed one may be retried. */
export function loadScript(url: string): Promise<void> {
  const known = loaded.get(url);
  if (known !== undefined) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.async = true;
    script.onload = () => resolve();
    script.onerror = () => {
      loaded.delete(url);
      script.remove();
      reject(new Error(`could not load ${url}`));
    };
    document.head.append(script);
  });
  loaded.set(url, loading);
  return loading;
}
