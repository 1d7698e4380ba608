/** Links to pages: the page reads what the link was built with. */
import { expect, test } from 'vitest';
import { linkTo, PAGE_FIELDS } from '../../../web/src/lib/browser/page-links.ts';
import { readState } from '../../../web/src/lib/browser/url-state.ts';

test('a link carries its fields to the page, and omits what the page assumes anyway', () => {
  const link = linkTo('/app/logs/api-usage', { user: 'bob & co', channel: 7, type: '' });
  const { pathname, searchParams } = new URL(link, 'http://localhost');
  expect(pathname).toBe('/app/logs/api-usage');
  expect(searchParams.has('type')).toBe(false);
  const state = readState(PAGE_FIELDS['/app/logs/api-usage'], searchParams);
  expect(state).toMatchObject({ user: 'bob & co', channel: 7, type: '' });
  expect(linkTo('/app/tokens')).toBe('/app/tokens');
});

test('a name that the page does not read does not compile', () => {
  // @ts-expect-error: the page reads `user`
  expect(linkTo('/app/logs/api-usage', { username: 'bob' })).toBe('/app/logs/api-usage');
});
