/** Sends test notices and mails. */
import * as z from 'zod/mini';
import { NOTIFY_KINDS } from '../../domain/notification-kinds.ts';
import { Email } from '../accounts/user.ts';
import { call } from '../call.ts';

export const noticeCalls = {
  test: call.user('POST /api/user/setting/test', {
    summary: 'Sends a test notification by the method that the caller has chosen',
    reply: z.object({ sent_to: z.enum(NOTIFY_KINDS) }),
    critical: true,
  }),
  testMail: call.superAdmin('POST /api/option/test_mail', {
    summary: 'Sends a test mail to an address',
    input: z.object({ email: Email.check(z.minLength(3)) }),
    critical: true,
  }),
};
