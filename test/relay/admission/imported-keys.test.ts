import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { importedKeyHash } from '../../../src/secrets.ts';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, type SiteToken } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const site = await sharedSite();
/** Of these keys only the SHA-256 is known; both begin alike up to a hyphen. */
const keysOf = (test: number) => [`sk-Ab${test}_c-dEf-1`, `sk-Ab${test}_c-other`] as const;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function importedToken(key: string): Promise<SiteToken> {
  const token = await site.addToken();
  await writing(site.ctx, async ({ db, secrets }) => {
    const key_hash = importedKeyHash(secrets.hash, sha256(key));
    await db('tokens')
      .where({ id: token.id })
      .update({ key_hash, key_cipher: secrets.encrypt('') });
    await announceChange(db, 'tokens', token.id);
  });
  return token;
}

describe('a key that was imported as a hash', () => {
  let number = 0;
  let keys: ReturnType<typeof keysOf>;
  let ids: number[];
  beforeEach(async () => {
    number += 1;
    keys = keysOf(number);
    ids = [];
    for (const key of keys) ids.push((await importedToken(key)).id);
  });
  const call = (key: string) => site.call({ key, body: CHAT });

  test('works, also with hyphens, and differs from a key with the same beginning', async () => {
    for (const round of ['first', 'cached'])
      for (const [at, key] of keys.entries()) {
        const answer = await call(key);
        expect(answer.status, round).toBe(200);
        const { items } = await site.as(OPERATOR).log.list({ request_id: answer.requestId });
        expect(items.map(({ token_id }) => token_id)).toEqual([ids[at]]);
      }
  });

  test('stops at once when the token is deleted, and only that one', async () => {
    const [gone, rest] = keys;
    expect((await call(gone)).status).toBe(200);
    await site.as(OPERATOR).token.remove({ id: ids[0] ?? 0 });
    expect((await call(gone)).status).toBe(401);
    expect((await call(rest)).status).toBe(200);
  });

  test('cannot be replaced by its hash or a part of it', async () => {
    const [key] = keys;
    for (const other of [
      sha256(key),
      `sk-${sha256(key)}`,
      `sk-sha256-${sha256(key)}`,
      key.slice(0, 8),
    ])
      expect(refusalIn(await call(other)).status, other).toBe(401);
  });

  test('finds its token, but is not shown', async () => {
    const [key] = keys;
    const api = site.as(OPERATOR).token;
    expect((await api.get({ id: ids[0] ?? 0 })).key).toBe('sk-***');
    await expectRefusal(api.reveal({ id: ids[0] ?? 0 }), 'token_key_unknown');
    const shown = await api.revealMany({ ids: [...ids, site.token.id] });
    expect(shown).toEqual([{ id: site.token.id, name: site.token.name, key: site.token.key }]);
    const found = await api.list({ token: key });
    expect(found.items.map(({ id }) => id)).toEqual(ids.slice(0, 1));
  });
});
