import { expect, type Page } from '@playwright/test';
import type { FakeUpstream } from '../upstream/server.ts';
import { aName, call } from './admin-calls.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  PHONE,
  signIn,
  test,
  UPSTREAM_KEY,
  WINDOWS,
} from './browser.ts';

let upstream: FakeUpstream;

interface Made {
  readonly id: number;
  readonly name: string;
}

function makeChannel(page: Page, url: string, fields: object = {}): Promise<Made> {
  const name = aName('channel-');
  const usual = {
    name,
    type: 1,
    key: UPSTREAM_KEY,
    base_url: upstream.url,
    models: 'gpt-4o,gpt-4o-mini',
  };
  return call(page, 'POST', `${url}/api/channel/`, { ...usual, ...fields });
}

interface Stored {
  readonly status: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string;
  readonly models: string;
  readonly base_url: string;
  readonly key: string;
  readonly auto_ban: number;
}

const stored = (page: Page, url: string, id: number): Promise<Stored> =>
  call(page, 'GET', `${url}/api/channel/${id}`);

async function testAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Batch actions' }).click();
  await page.getByRole('menuitem', { name: 'Test all channels' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test all channels' }).click();
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test.beforeEach(async ({ page, gateway, upstream: started }) => {
  upstream = started;
  await signIn(page, gateway.url);
});

test('a channel is added: the form says what is missing, and its test is part of saving it', async ({
  page,
  gateway,
}) => {
  const name = aName('added-');
  await page.goto(`${gateway.url}/admin/channels?id=new`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Fetch from upstream')).toBeVisible();
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await expect(drawer.getByText('Please fill in the name')).toBeVisible();
  await expect(drawer.getByText('Select at least one model')).toBeVisible();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Please fill in the key' }).first(),
  ).toBeVisible();
  await expect(drawer.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await expectAccessible(page);

  await drawer.getByRole('textbox', { name: 'Name' }).fill(name);
  await drawer.getByRole('textbox', { name: 'Base URL' }).fill(`${upstream.url}/`);
  await drawer.getByRole('textbox', { name: 'Key' }).fill(UPSTREAM_KEY);
  const asked = page.waitForRequest('**/api/channel/fetch_models');
  await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
  expect((await asked).postDataJSON()).toMatchObject({
    base_url: upstream.url,
    type: 1,
    key: UPSTREAM_KEY,
  });
  const diff = page.getByRole('dialog', { name: 'Compare with upstream models' });
  await diff.getByRole('button', { name: 'Invert' }).click();
  await diff.getByLabel('gpt-4o-mini', { exact: true }).check();
  await diff.getByRole('button', { name: 'Apply' }).click();
  await expect(drawer.getByText('Models: 1')).toBeVisible();

  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(page.getByText(`Channel ${name} created`)).toBeVisible();
  await expect(page.getByText('Test passed in')).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
});

test('saving and testing stays open with the reason when the upstream refuses', async ({
  page,
  gateway,
}) => {
  const { id } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Key' }).fill('sk-wrong');
  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(drawer.getByRole('alert')).toContainText('The last test failed');
  await expect(drawer.getByRole('textbox', { name: 'Key' })).toHaveValue('');
});

for (const { name, use } of WINDOWS)
  test.describe(name, () => {
    test.use(use);
    test('both pages of the editor have addresses of their own; a blank key is no change', async ({
      page,
      gateway,
    }) => {
      const { id } = await makeChannel(page, gateway.url);
      const before = await stored(page, gateway.url, id);
      await page.goto(`${gateway.url}/channel/edit/${id}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(`Edit channel #${id}`);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.getByRole('textbox', { name: 'Base URL' }).fill('https://relay.example.test/v1/');
      await page.getByRole('button', { name: 'Submit' }).click();
      const question = page.getByRole('dialog');
      await expect(question).toContainText('/v1');
      await question.getByRole('button', { name: 'Cancel' }).click();
      await expect(page).toHaveURL(new RegExp(`/channel/edit/${id}$`));
      await page.getByRole('textbox', { name: 'Base URL' }).fill('https://relay.example.test/x/');
      await page.getByRole('button', { name: 'Submit' }).click();
      await expect(page).toHaveURL(/\/admin\/channels$/);
      const { base_url, key } = await stored(page, gateway.url, id);
      expect([base_url, key]).toEqual(['https://relay.example.test/x', before.key]);

      await page.goto(`${gateway.url}/channel/add`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add channel');
      await page.getByRole('textbox', { name: 'Name' }).fill('unsaved');
      await page.getByRole('link', { name: 'Back to channels' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('unsaved');
      await page.goto(`${gateway.url}/channel/edit/999999`);
      await expect(page.getByText('Channel not found. Refresh the page and retry.')).toBeVisible();
    });
  });

test('a mapped name that is not among the models is pointed out, and added by one click', async ({
  page,
  gateway,
}) => {
  const { id } = await makeChannel(page, gateway.url, {
    model_mapping: '{"gpt-4o":"gpt-4o-2026"}',
  });
  await page.goto(`${gateway.url}/channel/edit/${id}`);
  const mapping = page.getByLabel('Model mapping', { exact: true });
  await mapping.fill('{"my-alias":"gpt-4o-2026"}');
  await page.getByRole('button', { name: 'Submit' }).click();
  const question = page.getByRole('dialog', { name: 'Mapped names are missing from the models' });
  await expect(question).toContainText('my-alias');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Add to the models' }).click();
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect
    .poll(async () => (await stored(page, gateway.url, id)).models)
    .toBe('gpt-4o,gpt-4o-mini,my-alias');
});

test('a second submit is refused while the first is on its way', async ({ page, gateway }) => {
  const { id } = await makeChannel(page, gateway.url);
  let sent = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/channel/', async (route) => {
    if (route.request().method() === 'PUT') {
      sent += 1;
      await held;
    }
    await route.continue();
  });
  await page.goto(`${gateway.url}/admin/channels?id=${id}`);
  await page.getByRole('dialog').getByRole('textbox', { name: 'Tag' }).fill('twice');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await expect(
    page.getByText('Submit failed: it is being sent already, do not submit twice'),
  ).toBeVisible();
  letGo();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(sent).toBe(1);
});

test('the type decides what is asked, and fixed models are not typed', async ({
  page,
  gateway,
}) => {
  await page.goto(`${gateway.url}/channel/add`);
  const type = page.getByRole('combobox', { name: 'Type', exact: true });
  const choose = async (name: string) => {
    await type.click();
    await type.fill(name);
    await page.getByRole('option', { name, exact: false }).first().click();
  };
  await choose('Suno');
  await expect(page.getByLabel('Address before /suno')).toBeVisible();
  await expect(page.getByText('suno_lyrics', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('The models of this type are fixed')).toBeVisible();
  await choose('Vertex AI');
  await expect(page.getByText('Models: 0')).toBeVisible();
  await expect(page.getByLabel('Deployment region')).toBeVisible();
  await choose('Coze');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Please fill in: Bot ID')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Fetch from upstream' })).toBeDisabled();
  await choose('Dify');
  await page.getByRole('combobox', { name: 'Kind of application' }).click();
  await expect(page.getByRole('option')).toHaveText(['Default', 'completion', 'workflow']);
  await page.getByRole('option', { name: 'workflow' }).click();
  await choose('iFlytek');
  await expect(page.getByLabel('Model version')).toHaveAttribute('placeholder', 'v2.1');
  await expect(page.getByLabel('Model version')).toHaveValue('');
  await page.getByRole('button', { name: 'Fill related models' }).click();
  await expect(page.getByText('Models: 0')).toHaveCount(0);
  const kept = await page.evaluate<string>('localStorage.getItem("channel-models")');
  expect(Object.keys(JSON.parse(kept))).toContain('18');
});

test('many keys keep their content in either view, and may become one channel each', async ({
  page,
  gateway,
}) => {
  const name = aName('keys-');
  await page.goto(`${gateway.url}/channel/add`);
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('textbox', { name: 'Key' }).fill('sk-first-key-000001,sk-second-key-00002');
  await page.getByText('List', { exact: true }).click();
  await expect(page.getByText('2 keys')).toBeVisible();
  await page.getByText('Text', { exact: true }).first().click();
  await expect(page.getByRole('textbox', { name: 'Key' })).toHaveValue(
    /sk-first.*[,\n].*sk-second/s,
  );
  await page.getByLabel('One channel per key (2)').check();
  await page.getByRole('button', { name: 'Fill related models' }).click();
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Channels created: 2')).toBeVisible();
});

test('priority and weight are changed where they stand: Enter saves, Esc takes back', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const priority = page.getByLabel(`Priority of ${name}`);
  await priority.fill('7');
  await priority.press('Escape');
  await expect(priority).toHaveValue('0');
  await priority.fill('-1000');
  await expect(page.getByText('Priority is a whole number, -999 or more')).toBeVisible();
  await priority.press('Enter');
  await expect(priority).toHaveValue('0');
  await priority.fill('12');
  await priority.press('Enter');
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  const weight = page.getByLabel(`Weight of ${name}`);
  await weight.fill('3');
  await weight.blur();
  await expect.poll(() => stored(page, gateway.url, id)).toMatchObject({ priority: 12, weight: 3 });
});

test('a channel is switched off at once and back by Undo; a refusal takes it back by itself', async ({
  page,
  gateway,
  complaints,
}) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const toggle = page.getByRole('switch', { name: `Enable channel ${name}` });
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await toggle.click({ force: true });
  expect((await sent).postDataJSON()).toEqual({ id, status: 2 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(toggle).toBeChecked();
  await expect.poll(async () => (await stored(page, gateway.url, id)).status).toBe(1);
  // It is said once the list has been read again: nothing fetches the row away after this.
  await expect(page.getByText(`${name} enabled`)).toBeVisible();

  await call(page, 'DELETE', `${gateway.url}/api/channel/${id}/`);
  await toggle.click({ force: true });
  await expect(page.getByText('Channel not found. Refresh the page and retry.')).toBeVisible();
  // The browser notes the refusal by itself.
  expect(complaints.every((text) => text.includes('404'))).toBe(true);
  complaints.length = 0;
});

test('why a channel switched itself off is told where its status stands', async ({
  page,
  gateway,
}) => {
  await call(page, 'PUT', `${gateway.url}/api/option/`, {
    key: 'AutomaticDisableChannelEnabled',
    value: 'true',
  });
  const { id, name } = await makeChannel(page, gateway.url, { key: 'sk-refused' });
  await page.request.post(`${gateway.url}/api/channel/test/${id}`);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const badge = rowOf(page, name).getByText('Auto-off');
  await badge.hover();
  await expect(page.getByRole('tooltip')).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d · \S/);
  await expect(rowOf(page, name).getByLabel('0 of 1 ok')).toBeVisible();
  await page.getByRole('button', { name: /^[1-9]\d* auto-disabled/ }).click();
  await expect(page).toHaveURL(/[?&]status=auto_disabled/);
  await expect(rowOf(page, name)).toBeVisible();
});

test('the tag view is kept, opens into its channels, and asks before all of them change', async ({
  page,
  gateway,
}) => {
  const tag = aName('tag-');
  const one = await makeChannel(page, gateway.url, { tag, priority: 5 });
  const two = await makeChannel(page, gateway.url, { tag, priority: 5 });
  await page.goto(`${gateway.url}/admin/channels?q=channel-`);
  const asked = page.waitForRequest(/\/api\/channel\/search\?.*tag_mode=true/);
  await page.getByRole('switch', { name: 'Tag view' }).check();
  expect((await asked).url()).toMatch(/keyword=channel-/);
  await page.reload();
  await page.getByRole('button', { name: new RegExp(tag) }).click();
  await expect(rowOf(page, one.name)).toBeVisible();
  const priority = page.getByLabel(`Priority of ${tag}`);
  await expect(priority).toHaveValue('5');
  await priority.fill('9');
  await priority.press('Enter');
  const question = page.getByRole('dialog');
  await expect(question).toContainText('with this tag: 2');
  await question.getByRole('button', { name: 'Change channels (2)' }).click();
  await expect(page.getByText('Channels of the tag changed: 2')).toBeVisible();
  expect((await stored(page, gateway.url, two.id)).priority).toBe(9);

  await rowOf(page, tag).first().getByRole('button', { name: 'Edit tag' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('No changes')).toBeVisible();
  await drawer.getByLabel('Tag name').fill(`${tag}-b`);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer).toBeHidden();
  expect((await stored(page, gateway.url, one.id)).tag).toBe(`${tag}-b`);
});

test('one press tests a channel with its test model; a hint says when, to the keyboard as well', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const row = rowOf(page, name);
  await expect(row.getByText('Untested')).toBeVisible();
  await row.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText(`${name}: test passed`)).toBeVisible();
  await expect(row.getByText('Untested')).toBeHidden();
  await expect(page.getByText(`Testing ${name}`)).toBeHidden();

  const time = row.getByText(/^[\d.]+ (ms|s)$/);
  await page.keyboard.press('Tab');
  await time.focus();
  const hint = page.getByRole('tooltip');
  await expect(hint).toContainText('Tested at');
  await page.keyboard.press('Escape');
  await expect(hint).toBeHidden();
});

test('a failed test of a row says which channel and why', async ({ page, gateway }) => {
  const { name } = await makeChannel(page, gateway.url, { key: 'sk-wrong' });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await rowOf(page, name).getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText(`${name}: test failed`)).toBeVisible();
});

test.describe(PHONE.name, () => {
  test.use(PHONE.use);
  test('a finger taps a hint open and away, and what it presses says nothing', async ({
    page,
    gateway,
  }) => {
    const { id, name } = await makeChannel(page, gateway.url);
    await call(page, 'GET', `${gateway.url}/api/channel/test/${id}`);
    await page.goto(`${gateway.url}/admin/channels?q=${name}`);
    const card = page.getByRole('listitem').filter({ hasText: name });
    const hint = page.getByRole('tooltip');
    await card.getByText(/^[\d.]+ (ms|s)$/).tap();
    await expect(hint).toContainText('Tested at');
    await page.getByRole('heading', { level: 1 }).tap();
    await expect(hint).toBeHidden();
    await card.getByRole('button', { name: 'More actions' }).tap();
    await expect(page.getByRole('menu')).toBeVisible();
    await expect(hint).toBeHidden();
  });
});

test('all models are tested in one dialog; what works and what fails is told, and kept', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url, {
    models: 'gpt-4o,gpt-4o-mini,broken+status:500',
  });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const openTests = async () => {
    await rowOf(page, name).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Test models' }).click();
  };
  await openTests();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: 'Stream' }).check();
  await dialog.getByRole('button', { name: 'Test all' }).click();
  await expect(dialog.getByText('2 ok, 1 failed')).toBeVisible();
  await expect(dialog.getByText('first token').first()).toBeVisible();
  // Long answers are cut: they push nothing out of the dialog.
  await expect(dialog.getByRole('button', { name: 'More actions' }).first()).toBeInViewport({
    ratio: 1,
  });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await openTests();
  await expect(dialog.getByText('2 ok, 1 failed')).toBeVisible();
  await dialog.getByRole('button', { name: 'More actions' }).last().click();
  await page.getByRole('menuitem', { name: 'Remove model from channel' }).click();
  await expect
    .poll(async () => (await stored(page, gateway.url, id)).models)
    .toBe('gpt-4o,gpt-4o-mini');
});

test('many are deleted, tagged and put right at once, and the toast counts them', async ({
  page,
  gateway,
}) => {
  const start = aName('bulk-');
  for (const end of ['a', 'b', 'c'])
    await makeChannel(page, gateway.url, { name: `${start}${end}`, status: end === 'c' ? 2 : 1 });
  await page.goto(`${gateway.url}/admin/channels?q=${start}`);
  const batch = async (item: string) => {
    await page.getByRole('button', { name: 'Batch actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await batch('Delete selected channels');
  await expect(page.getByText('Please select channels to delete first')).toBeVisible();
  await batch('Set tag');
  await expect(page.getByText('Please select channels to tag first')).toBeVisible();

  for (const end of ['a', 'b'])
    await rowOf(page, `${start}${end}`).getByRole('checkbox', { name: 'Select this row' }).check();
  await expect(page.getByText('2 selected')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set tag' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Set tag' }).click();
  await expect(dialog.getByText('Tag cannot be empty')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Tag' }).fill('bulk-tag');
  await dialog.getByRole('button', { name: 'Set tag' }).click();
  await expect(page.getByText('Channels tagged: 2')).toBeVisible();

  await batch('Delete selected channels');
  await dialog.getByRole('button', { name: 'Delete channels (2)' }).click();
  await expect(page.getByText('Channels deleted: 2')).toBeVisible();
  await batch('Fix consistency');
  await dialog.getByRole('button', { name: 'Fix consistency' }).click();
  await expect(page.getByText(/Consistency fixed, entries rebuilt: \d+/)).toBeVisible();
  await batch('Delete disabled channels');
  await dialog.getByRole('button', { name: 'Delete disabled channels' }).click();
  await expect(rowOf(page, `${start}c`)).toHaveCount(0);
});

test('one channel is copied with a suffix, and deleted after a question', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await rowOf(page, name).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy as new' }).click();
  await expect(page.getByRole('dialog')).toContainText(`${name}_copy`);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  const copied = rowOf(page, `${name}_copy`);
  await copied.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const gone = page.waitForRequest((request) => request.method() === 'DELETE');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
  expect(new URL((await gone).url()).pathname).toMatch(/^\/api\/channel\/\d+\/?$/);
  await expect(copied).toHaveCount(0);
});

test('the test of all channels runs by itself: results come in, and are listed at the end', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await testAll(page);
  await expect(
    page.getByText('Testing in the background: results appear as they come'),
  ).toBeVisible();
  const results = page.getByRole('dialog', { name: 'Test results' });
  await expect(results).toContainText(name);
  await expect(results).toContainText('OK');
});

test('results of the test of all channels link to the channel, are tested again and exported', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url, { key: 'sk-refused' });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await testAll(page);
  const results = page.getByRole('dialog', { name: 'Test results' });
  const again = results.getByRole('button', { name: `Test ${name} again` });
  await expect(again).toBeVisible();
  const file = page.waitForEvent('download');
  await results.getByRole('button', { name: 'Export CSV' }).click();
  expect((await file).suggestedFilename()).toMatch(/^channel-tests-\d{4}-\d\d-\d\d\.csv$/);
  await call(page, 'PUT', `${gateway.url}/api/channel/`, { id, key: UPSTREAM_KEY });
  await again.click();
  await expect(again).toHaveCount(0);
  await results.getByRole('link', { name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`[?&]q=${name}&id=${id}`));
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toHaveValue(name);
});

test('stopping the test of all channels ends it in the gateway as well', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  upstream.setDefault('hold');
  try {
    await page.goto(`${gateway.url}/admin/channels?q=${name}`);
    await testAll(page);
    await upstream.until((stats) => stats.openCalls > 0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await upstream.until((stats) => stats.openCalls === 0);
    await expect(page.getByRole('dialog', { name: 'Test results' })).toBeVisible();
    expect(await call(page, 'POST', `${gateway.url}/api/channel/test/stop`)).toBe(false);
  } finally {
    upstream.reset();
  }
});

test('an enabled channel whose test failed is shown as failing, until a test succeeds', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url, { key: 'sk-refused', auto_ban: 0 });
  await page.request.post(`${gateway.url}/api/channel/test/${id}`);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const row = rowOf(page, name);
  await expect(row.getByText('Failing')).toBeVisible();
  await expect(row.getByText('Failed', { exact: true })).toBeVisible();
  await expect(row.getByText('Enabled')).toHaveCount(0);
  await call(page, 'PUT', `${gateway.url}/api/channel/`, { id, key: UPSTREAM_KEY });
  await row.getByRole('button', { name: 'Test' }).click();
  await expect(row.getByText('Enabled')).toBeVisible();
});

test('channels leave as a document and come back changed, after the plan was seen', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const open = async (item: string) => {
    await page.getByRole('button', { name: 'Batch actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await open('Export channels');
  const file = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
  expect((await file).suggestedFilename()).toMatch(/^channels-\d{4}-\d\d-\d\d\.json$/);

  await open('Import channels');
  const dialog = page.getByRole('dialog');
  const document = { version: 1, channels: [{ name, weight: 8 }] };
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'channels.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(document)),
  });
  await expect(dialog.getByText('0 new, 1 changed, 0 the same')).toBeVisible();
  await expect(dialog.getByText('weight')).toBeVisible();
  expect((await stored(page, gateway.url, id)).weight).toBe(0);
  await dialog.getByRole('button', { name: 'Import channels (1)' }).click();
  await expect(page.getByText('Imported: 0 new, 1 changed')).toBeVisible();
  expect((await stored(page, gateway.url, id)).weight).toBe(8);
});

for (const { name, use } of WINDOWS)
  test.describe(name, () => {
    test.use(use);
    test('the list stands on a phone and on a desk without faults, in both themes', async ({
      page,
      gateway,
    }) => {
      const { name } = await makeChannel(page, gateway.url, { tag: 'looks', group: 'default' });
      await page.goto(`${gateway.url}/admin/channels?q=${name}`);
      await expect(page.getByText(name, { exact: true })).toBeVisible();
      await expectReadable(page);
    });
  });
