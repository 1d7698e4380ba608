/** A start tag up to its end, with quotes of its values closed. */
const START_TAG = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
/** One attribute with its value, whole, so that nothing inside of a value is taken for one. */
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g;

/**
 * The markup without `onclick` and the like. A browser refuses those as soon as it parses them, even
 * to clean them, and writes a line about each. What is safe to show is still the sanitiser's to say:
 * this leaves anything it does not understand.
 */
export function withoutHandlers(html: string): string {
  return html.replace(START_TAG, (tag) =>
    tag.replace(ATTRIBUTE, (attribute, name: string) => (/^on[a-z]/i.test(name) ? '' : attribute)),
  );
}
