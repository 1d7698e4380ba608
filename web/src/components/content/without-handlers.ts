/** A complete start tag, with the quotes of its values closed. */
const START_TAG = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
/** One attribute with its whole value, so that nothing inside a value matches as an attribute. */
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g;

/**
 * The markup without `onclick` and similar attributes. A browser blocks those as soon as it parses
 * them, even for sanitizing, and logs an error for each. The sanitizer still decides what is safe:
 * this leaves anything it cannot parse.
 */
export function withoutHandlers(html: string): string {
  return html.replace(START_TAG, (tag) =>
    tag.replace(ATTRIBUTE, (attribute, name: string) => (/^on[a-z]/i.test(name) ? '' : attribute)),
  );
}
