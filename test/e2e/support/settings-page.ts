/** The page of the settings: its sections, fields and stored values. */
import type { Page } from '@playwright/test';
import { call } from './admin-calls.ts';

export function section(page: Page, name: string) {
  return page.locator(`[data-section="${name}"]`);
}

export function field(page: Page, key: string, kind = 'input') {
  return page.locator(`[id="option-${key}"] ${kind}`).first();
}

export async function save(page: Page, name: string): Promise<void> {
  await section(page, name).locator('button[aria-label^="Save"]').click();
}

export function storedValue(page: Page, key: string) {
  return call<{ value: string; is_set: boolean }>(page, 'GET', `/api/option/${key}`);
}
