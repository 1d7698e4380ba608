import { type Context, nowSec } from '../../../context.ts';
import { deliverTo, insertMessage } from '../../../store/tables/messages-table.ts';
import { writing } from '../../cluster/announced-write.ts';
import { htmlText, type Notification } from './notification.ts';

/** Puts a notification into the inbox of a user, as a message without a sender. */
export async function deliverToInbox(
  ctx: Context,
  userId: number,
  notice: Notification,
): Promise<void> {
  await writing(ctx, async (ctx) => {
    const atSec = nowSec(ctx);
    const messageId = await insertMessage(ctx.db, {
      title: notice.title,
      content: htmlText(notice),
      format: 'html',
      created_at: atSec,
      updated_at: atSec,
      created_by: 0,
    });
    await deliverTo(ctx.db, { messageId, atSec }, [userId]);
  });
}
