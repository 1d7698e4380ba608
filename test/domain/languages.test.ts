import { expect, test } from 'vitest';
import { acceptedLanguage, readerLanguage } from '../../src/domain/languages.ts';

test.each([
  ['', undefined],
  ['*', undefined],
  ['fr, de;q=0.5', undefined],
  ['en', 'en'],
  ['EN-GB', 'en'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['fr-FR,fr;q=0.9,en;q=0.8,zh;q=0.7', 'en'],
  ['en;q=0.2, zh-TW;q=0.4', 'zh'],
  ['zh;q=0, *', undefined],
  ['zh;q=0, en;q=0.1', 'en'],
  ['english', undefined],
  ['zh;q=x', undefined],
])('Accept-Language "%s" names %s', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language);
});

test('the account decides before the client, and the client before the site', () => {
  expect(readerLanguage({ account: 'en', accepted: 'zh', site: 'zh' })).toBe('en');
  expect(readerLanguage({ accepted: 'en', site: 'zh' })).toBe('en');
  expect(readerLanguage({ site: 'zh' })).toBe('zh');
});
