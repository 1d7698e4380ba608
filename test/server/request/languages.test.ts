/** The language of errors, logs and mails of the management API (docs/accounts.md#languages). */
import { expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const ann = await site.addUser();
const asAnn = await signedIn(site, ann);
await site.as(OPERATOR).user.setQuota({ id: ann.id, mode: 'set', units: 1_500_000 });

const inLanguage = (language: string) => ({ headers: { 'accept-language': language } });
const refusal = async (language: string) =>
  (await asAnn.send('GET', '/api/log/self/1', inLanguage(language))).body.message;
const choose = (language: 'en' | 'zh' | null) =>
  asAnn.send('PUT', '/api/user/setting', { body: { language } });

const CHINESE = /\p{Script=Han}/u;

it("errors have the account's language, else the client's, else the site's", async () => {
  expect(await refusal('*')).toMatch(CHINESE);
  expect(await refusal('fr, en;q=0.5')).not.toMatch(CHINESE);
  await choose('en');
  expect(await refusal('zh-CN')).not.toMatch(CHINESE);
  await choose('zh');
  expect(await refusal('en')).toMatch(CHINESE);
  await choose(null);
  await site.as(OPERATOR).option.set({ key: 'DefaultLanguage', value: 'en' });
  expect(await refusal('*')).not.toMatch(CHINESE);
  await site.as(OPERATOR).option.unset({ key: 'DefaultLanguage' });
});

it('guests are answered in the language of the site', async () => {
  const login = (language: string) =>
    apiClient(site).send('POST', '/api/user/login', {
      body: { username: 'nobody', password: 'wrong password' },
      ...inLanguage(language),
    });
  expect((await login('*')).body.message).toMatch(CHINESE);
  expect((await login('en')).body.message).not.toMatch(CHINESE);
});

it('log entries are worded when they are read, also in exports', async () => {
  const contents = async (path: string, language: string) => {
    const { text } = await asAnn.send('GET', path, inLanguage(language));
    return /额度由[^"]*|Quota changed[^"]*/.exec(text)?.[0];
  };
  const list = '/api/log/self?type=3';
  expect(await contents(list, 'zh')).toMatch(/^额度由 \$\S+ 改为 \$3.00$/);
  expect(await contents(list, 'en')).toMatch(/^Quota changed from \$\S+ to \$3.00$/);
  const file = '/api/log/self/export.jsonl?type=3';
  expect(await contents(file, 'zh')).toMatch(/^额度由/);
  expect(await contents(`${file}&language=en`, 'zh')).toMatch(/^Quota changed/);
  const refused = await asAnn.send('GET', `${file}&language=fr`);
  expect(refused.body).toMatchObject({ success: false, param: 'language' });
  const [row] = await site.ctx.db('logs').where({ user_id: ann.id, type: 3 }).orderBy('id', 'desc');
  expect(row.content).toMatch(/^Quota changed/);
  expect(JSON.parse(row.other)).toMatchObject({
    event: 'quota_changed',
    params: { after: 1_500_000 },
  });
});
