import { expect, test } from 'vitest';
import { returnPath, signInPath } from '../../../web/src/lib/session/return-to.ts';

test.each(['/app/logs/api-usage?page=2&q=a%20b', '/pricing', '/'])(
  'the sign-in page returns to a path of this site (%s)',
  (path) => {
    expect(returnPath(path)).toBe(path);
  },
);

test.each([
  '',
  null,
  'https://evil.test/',
  '//evil.test',
  '/\\evil.test',
  'app/me',
  '/a\\b',
  '/a\nb',
])('anything else (%j) leads to the tokens', (path) => {
  expect(returnPath(path)).toBe('/app/tokens');
});

test('the sign-in page remembers the previous page and the reason', () => {
  expect(signInPath('/app/me?tab=2')).toBe('/login?returnTo=%2Fapp%2Fme%3Ftab%3D2');
  expect(signInPath('/app/me', 'expired')).toBe('/login?expired=true&returnTo=%2Fapp%2Fme');
  expect(signInPath('/')).toBe('/login');
});
