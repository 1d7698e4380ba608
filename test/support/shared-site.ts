/** What all tests of a file, or of an async `describe`, share: gateways, databases and receivers, closed after the last. */
import { afterAll, beforeEach, expect, onTestFinished } from 'vitest';
import type { Engine } from '../../src/store/connection/engine.ts';
import { type FreshDatabase, freshDatabase } from './databases.ts';
import { createLocalSite, type LocalSite } from './local-site.ts';
import { aSite, type Site, type SiteOptions } from './site.ts';
import { aWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/**
 * Each test starts with reset upstreams; at the end every hold is released and the ledger agrees.
 */
export async function sharedSite(options: SiteOptions = {}): Promise<Site> {
  const site = await aSite(options);
  beforeEach(() => {
    for (const upstream of site.upstreams) upstream.reset();
  });
  afterAll(async () => {
    expect(await site.verifySettled()).toMatchObject({ ok: true });
    await site.close();
  });
  return site;
}

export async function sharedLocalSite(
  ...options: Parameters<typeof createLocalSite>
): Promise<LocalSite> {
  const site = await createLocalSite(...options);
  afterAll(() => site.close());
  return site;
}

/** A migrated, empty database. */
export async function sharedDatabase(kind: Engine): Promise<FreshDatabase> {
  const database = await freshDatabase(kind);
  afterAll(() => database.drop());
  return database;
}

/** The database, which the end of the running test drops. */
export async function ownDatabase(opened: Promise<FreshDatabase>): Promise<FreshDatabase> {
  const database = await opened;
  onTestFinished(() => database.drop());
  return database;
}

/** Each test starts with no webhook received and no answer prepared. */
export async function sharedWebhookReceiver(): Promise<WebhookReceiver> {
  const receiver = await aWebhookReceiver();
  beforeEach(() => {
    receiver.hooks.length = 0;
    receiver.answers.length = 0;
  });
  afterAll(() => receiver.close());
  return receiver;
}
