/** Sets the expired status on API tokens whose expiry time has passed, for lists and consoles. */
import { type Context, nowSec } from '../context.ts';
import { writing } from '../services/cluster/announced-write.ts';
import { announceChange } from '../store/tables/changes-table.ts';
import { expireTokens } from '../store/tables/tokens-table.ts';

const BATCH_SIZE = 200;

/** In small transactions, so that calls do not wait long to post their charges. */
export async function markExpiredTokens(ctx: Context, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const marked = await writing(ctx, async (ctx) => {
      const ids = await expireTokens(ctx.db, nowSec(ctx), BATCH_SIZE);
      for (const id of ids) await announceChange(ctx.db, 'tokens', id);
      return ids.length;
    });
    if (marked < BATCH_SIZE) return;
  }
}
