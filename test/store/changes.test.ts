import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import {
  announceChange,
  changesSince,
  pruneChanges,
  readRevisions,
} from '../../src/store/tables/changes-table.ts';
import { databases } from '../support/databases.ts';
import { sharedDatabase } from '../support/shared-site.ts';

describe.each(databases)('the change feed on $kind', async ({ kind }) => {
  const database = await sharedDatabase(kind);

  const announce = (scope: string, ...ids: number[]) =>
    inTransaction(database, async (ctx) => {
      for (const id of ids) await announceChange(ctx.db, scope, id);
    });

  it('counts each scope separately and returns the ids changed since, each once', async () => {
    await announce('tokens', 7, 8, 7);
    await announce('users', 1);
    expect(await readRevisions(database.reads)).toEqual({ tokens: 3, users: 1 });
    expect(await changesSince(database.reads, 'tokens', 1)).toEqual({ revision: 3, ids: [8, 7] });
    expect(await changesSince(database.reads, 'tokens', 0)).toMatchObject({ ids: [7, 8] });
    expect(await changesSince(database.reads, 'tokens', 3)).toEqual({ revision: 3, ids: [] });
    expect(await changesSince(database.reads, 'never', 0)).toEqual({ revision: 0, ids: [] });
  });

  it('does not return changes that were rolled back', async () => {
    const failed = inTransaction(database, async (ctx) => {
      await announceChange(ctx.db, 'rolled', 1);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await changesSince(database.db, 'rolled', 0)).toEqual({ revision: 0, ids: [] });
  });

  it('has no gap and loses nothing under concurrent writes', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => index + 1);
    await Promise.all(ids.map((id) => announce('busy', id)));
    const changed = await changesSince(database.db, 'busy', 0);
    expect(changed.revision).toBe(40);
    expect([...changed.ids].sort()).toEqual([...ids].sort());
  });

  it("returns all when it no longer reaches back, or the reader's position is in the future", async () => {
    await announce('old', 1, 2);
    await database.db('changes').where({ scope: 'old' }).update({ created_at: 1 });
    await announce('old', 3);
    expect(await pruneChanges(database.db, 3600)).toBe(2);
    expect(await changesSince(database.db, 'old', 0)).toEqual({ revision: 3, ids: 'all' });
    expect(await changesSince(database.db, 'old', 1)).toEqual({ revision: 3, ids: 'all' });
    expect(await changesSince(database.db, 'old', 2)).toEqual({ revision: 3, ids: [3] });
    expect(await changesSince(database.db, 'old', 9)).toEqual({ revision: 3, ids: 'all' });
  });

  it('returns all to a reader that is far behind', async () => {
    await announce('far', 1);
    await database.db('revisions').where({ scope: 'far' }).update({ revision: 5_000 });
    expect(await changesSince(database.db, 'far', 1)).toEqual({ revision: 5_000, ids: 'all' });
  });
});
