/** Test notices and test mails, sent before the response, so that the caller sees any error. */
import type { Service } from '../../../api/call.ts';
import type { noticeCalls } from '../../../api/messaging/notice.ts';
import type { Context } from '../../../context.ts';
import { reasonParams } from '../../../domain/errors/error-reasons.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { endAlert } from '../../../store/tables/alert-states-table.ts';
import { userById } from '../../../store/tables/users-table.ts';
import { eventAudience } from '../../logs/audit.ts';
import { mailServerMessage, sendMail } from '../mail.ts';
import { deliverNotification } from './deliver.ts';
import { htmlText, notificationIn, plainText } from './notification.ts';
import { receiverOf } from './receiver.ts';
import { userSubject } from './targets.ts';

type Calls = Service<typeof noticeCalls, Context>;

export const test: Calls['test'] = async (ctx, actor, _input, visit) => {
  if (actor.kind === 'operator') throw new AppError('permission_denied');
  const user = await userById(ctx.reads, actor.id);
  const receiver = user === undefined ? undefined : receiverOf(ctx, user);
  if (receiver === undefined) throw new AppError('notice_address_missing');
  await deliverNotification(
    ctx,
    receiver,
    notificationIn(eventAudience(ctx, visit.language), {
      type: 'test',
      text: 'test',
      values: [siteName(ctx)],
    }),
  );
  await endAlert(ctx.db, 'receiver', userSubject(actor.id));
  return { sent_to: receiver.kind };
};

/** Users who may set the mail server may also read its error messages. */
export const testMail: Calls['testMail'] = async (ctx, _actor, { email }, visit) => {
  const facts = { type: 'test', text: 'test_mail', values: [siteName(ctx)] } as const;
  const notice = notificationIn(eventAudience(ctx, visit.language), facts);
  const mail = { to: email, subject: notice.title };
  try {
    await sendMail(ctx, { ...mail, html: htmlText(notice), text: plainText(notice) });
  } catch (error) {
    const text = error instanceof AppError ? mailServerMessage(error) : undefined;
    if (text === undefined) throw error;
    throw new AppError('mail_failed', reasonParams('mail_server_text', { text }));
  }
};

function siteName(ctx: Context): string {
  return ctx.options().get('SystemName');
}
