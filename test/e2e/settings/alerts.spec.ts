/** The destinations of the site's alerts, as super administrators use them. */
import { expect } from '@playwright/test';
import { expectAccessible, forgive, signIn, test } from '../support/browser.ts';
import { section } from '../support/settings-page.ts';

test.use({ site: 'settings' });

test('a destination is added, renamed, tested and deleted', async ({ page, complaints }) => {
  await signIn(page);
  await page.goto('/admin/settings?tab=system');
  const alerts = section(page, 'alerts');
  await expect(alerts).toContainText('No destinations yet');
  await alerts.getByRole('button', { name: 'Add destination' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Address of the bot' }).fill('http://hooks.example/');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('Enter a name');
  await expect(dialog).toContainText('Enter an address that starts with https://');
  await expectAccessible(page);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('ops');
  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'E-mail' }).click();
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('ops@mail.example');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(alerts.getByRole('row', { name: /ops.*E-mail.*OK/ })).toBeVisible();

  await alerts.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('night shift');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(alerts.getByRole('row', { name: /night shift/ })).toBeVisible();
  await alerts.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText(/mail server/i).last()).toBeVisible();

  await alerts.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(alerts).toContainText('No destinations yet');
  forgive(complaints);
});
