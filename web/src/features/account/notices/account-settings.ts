/** Form values of a user's own settings, which are stored as one JSON text. */

import type { UseFormReturnType } from '@mantine/form';
import type * as z from 'zod/mini';
import type { UserSetting } from '../../../../../src/api/accounts/account.ts';
import {
  type AddressProblem,
  addressProblem,
  isPostKind,
  NOTIFY_KINDS,
  type NotifyKind,
  type PostKind,
} from '../../../../../src/domain/notification-kinds.ts';
import { isSuperAdmin } from '../../../../../src/domain/roles.ts';
import { asObject, numberIn, parseJson, textIn } from '../../../../../src/json/read-json.ts';
import type { AddressValues } from '../../../components/notifications/NotificationAddress.tsx';
import { zoneName } from '../../../lib/text/dates.ts';

export interface NoticeValues extends AddressValues {
  readonly notify_type: NotifyKind;
  /** Units. */
  readonly quota_warning_threshold: number;
  /** Empty is the account's own address. */
  readonly notification_email: string;
  /** Hours of the day, in the time zone of the browser; '' = none. */
  readonly quiet_from: string;
  readonly quiet_to: string;
  readonly weekly_digest: boolean;
}

export type NoticeForm = UseFormReturnType<NoticeValues>;

/** Suggested thresholds for the warning; their labels follow the site's unit. */
export const THRESHOLDS = [100_000, 500_000, 1_000_000, 5_000_000] as const;
const USUAL_THRESHOLD = 500_000;
/** The form's value before the settings have loaded. */
const FIRST_THRESHOLD = 100_000;

/** @param setting undefined while loading. */
export function noticeValues(setting: string | undefined, role = 0): NoticeValues {
  const kept = readStored(setting ?? '');
  const threshold = Number(kept.quota_warning_threshold);
  const usual = setting === undefined ? FIRST_THRESHOLD : USUAL_THRESHOLD;
  return {
    notify_type: NOTIFY_KINDS.find((kind) => kind === kept.notify_type) ?? 'email',
    quota_warning_threshold: threshold > 0 ? threshold : usual,
    webhook_url: textIn(kept, 'webhook_url') ?? '',
    webhook_secret: '',
    drops_secret: false,
    notification_email: textIn(kept, 'notification_email') ?? '',
    quiet_from: hourOf(kept.quiet_hours, 'from'),
    quiet_to: hourOf(kept.quiet_hours, 'to'),
    weekly_digest:
      kept.weekly_digest === undefined ? isSuperAdmin(role) : kept.weekly_digest !== null,
  };
}

function hourOf(quiet: unknown, end: 'from' | 'to'): string {
  return String(numberIn(quiet, end) ?? '');
}

/** A key of the texts. */
export type NoticeProblem =
  | `account.error.${'threshold' | 'email' | 'quiet'}`
  | `part.notice.error.${AddressProblem}`;

export function noticeProblems(values: NoticeValues): {
  readonly [F in keyof NoticeValues]?: NoticeProblem;
} {
  const { notify_type, quota_warning_threshold, webhook_url, notification_email } = values;
  const email = notification_email.trim();
  const isThreshold = Number.isSafeInteger(quota_warning_threshold) && quota_warning_threshold > 0;
  return {
    ...(!isThreshold && { quota_warning_threshold: 'account.error.threshold' }),
    ...(isPostKind(notify_type) && urlProblem(notify_type, webhook_url.trim())),
    ...((values.quiet_from === '') !== (values.quiet_to === '') && {
      quiet_to: 'account.error.quiet',
    }),
    ...(notify_type === 'email' &&
      email !== '' &&
      addressProblem('email', email) && { notification_email: 'account.error.email' }),
  };
}

function urlProblem(kind: PostKind, url: string): { webhook_url?: NoticeProblem } {
  const problem = addressProblem(kind, url);
  return problem === undefined ? {} : { webhook_url: `part.notice.error.${problem}` };
}

/** The fields of the chosen kind; the secret only if it is set or removed. */
export function noticeInput(values: NoticeValues) {
  const { notify_type, quota_warning_threshold, webhook_secret, drops_secret } = values;
  const common = {
    notify_type,
    quota_warning_threshold,
    quiet_hours: quietHours(values),
    weekly_digest: values.weekly_digest ? { time_zone: zoneName() } : null,
  };
  if (notify_type === 'email')
    return { ...common, notification_email: values.notification_email.trim() };
  if (!isPostKind(notify_type)) return common;
  return {
    ...common,
    webhook_url: values.webhook_url.trim(),
    ...(drops_secret ? { webhook_secret: null } : webhook_secret !== '' && { webhook_secret }),
  };
}

function quietHours({ quiet_from, quiet_to }: NoticeValues) {
  if (quiet_from === '' || quiet_to === '') return null;
  const time_zone = zoneName();
  return { from: Number(quiet_from), to: Number(quiet_to), time_zone };
}

export interface Switches {
  readonly accept_unset_model_ratio_model: boolean;
  readonly show_ip_in_logs: boolean;
}

export function switchesOf(setting: string): Switches {
  const kept = readStored(setting);
  return {
    accept_unset_model_ratio_model: kept.accept_unset_model_ratio_model === true,
    show_ip_in_logs: kept.show_ip_in_logs === true,
  };
}

type Stored = { readonly [F in keyof z.input<typeof UserSetting>]?: unknown };

/** Text that is not valid counts as no settings. */
function readStored(setting: string): Stored {
  return asObject(parseJson(setting)) ?? {};
}
