import { expect, test } from 'vitest';
import {
  checkedDays,
  countStreak,
  weeksOf,
} from '../../../web/src/features/account/check-in-days.ts';
import {
  type NoticeValues,
  noticeInput,
  noticeProblems,
  noticeValues,
  switchesOf,
  THRESHOLDS,
} from '../../../web/src/features/account/notices/account-settings.ts';
import { browserName } from '../../../web/src/features/account/security/browser-name.ts';

test('the warning threshold is 100000 before the settings are known, and 500000 when none is set', () => {
  expect(noticeValues(undefined).quota_warning_threshold).toBe(100_000);
  expect(noticeValues('{}').quota_warning_threshold).toBe(500_000);
  expect(noticeValues('{"quota_warning_threshold": 42}').quota_warning_threshold).toBe(42);
  expect(THRESHOLDS).toEqual([100_000, 500_000, 1_000_000, 5_000_000]);
});

test('reads missing or malformed settings as unset', () => {
  for (const setting of ['', 'null', '[1]', '{"notify_type": 7, "webhook_url": {}}'])
    expect(noticeValues(setting)).toMatchObject({ notify_type: 'email', webhook_url: '' });
  expect(switchesOf('{"show_ip_in_logs": "true"}').show_ip_in_logs).toBe(false);
  expect(switchesOf('{"show_ip_in_logs": true}').show_ip_in_logs).toBe(true);
});

const WEBHOOK: NoticeValues = {
  ...noticeValues('{}'),
  notify_type: 'webhook',
  webhook_url: 'https://example.com/notify',
};

test.each<[Partial<NoticeValues>, object]>([
  [{}, {}],
  [{ webhook_url: 'http://example.com' }, { webhook_url: 'part.notice.error.not_https_url' }],
  [{ webhook_url: '' }, { webhook_url: 'part.notice.error.not_https_url' }],
  [{ webhook_url: 'https://' }, { webhook_url: 'part.notice.error.not_https_url' }],
  [{ notify_type: 'email', webhook_url: '' }, {}],
  [
    { notify_type: 'email', notification_email: 'nobody' },
    { notification_email: 'account.error.email' },
  ],
  [{ quota_warning_threshold: 0 }, { quota_warning_threshold: 'account.error.threshold' }],
])('notices with %o are refused for %o', (changes, refused) => {
  expect(noticeProblems({ ...WEBHOOK, ...changes })).toEqual(refused);
});

test('quiet hours need both ends, and are sent with the time zone of the browser', () => {
  const half = { ...WEBHOOK, quiet_from: '22' };
  expect(noticeProblems(half)).toEqual({ quiet_to: 'account.error.quiet' });
  const whole = { ...half, quiet_to: '8' };
  expect(noticeProblems(whole)).toEqual({});
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const quiet_hours = { from: 22, to: 8, time_zone };
  expect(noticeInput(whole)).toMatchObject({ quiet_hours });
  const kept = noticeValues(JSON.stringify({ quiet_hours }));
  expect([kept.quiet_from, kept.quiet_to]).toEqual(['22', '8']);
});

test('the address of a Telegram bot names a chat', () => {
  const bot = { ...WEBHOOK, notify_type: 'telegram' } as const;
  expect(noticeProblems(bot)).toEqual({ webhook_url: 'part.notice.error.no_chat_id' });
  const url = 'https://api.telegram.org/bot1/sendMessage?chat_id=5';
  expect(noticeProblems({ ...bot, webhook_url: url })).toEqual({});
});

test('sends the secret only when it was typed or cleared', () => {
  expect(noticeInput(WEBHOOK)).not.toHaveProperty('webhook_secret');
  expect(noticeInput({ ...WEBHOOK, webhook_secret: 's' })).toHaveProperty('webhook_secret', 's');
  expect(noticeInput({ ...WEBHOOK, drops_secret: true })).toHaveProperty('webhook_secret', null);
  expect(noticeInput({ ...WEBHOOK, notify_type: 'email' })).toEqual({
    notify_type: 'email',
    quota_warning_threshold: 500_000,
    weekly_digest: null,
    quiet_hours: null,
    notification_email: '',
  });
});

const noon = (day: number) => new Date(2026, 10, day, 12).getTime() / 1000;

test('consecutive days count up to today, even while today is unfinished', () => {
  const days = checkedDays([noon(20), noon(19), noon(18), noon(16)]);
  expect(countStreak(days, new Date(2026, 10, 21, 8))).toBe(3);
  expect(countStreak(checkedDays([noon(21), noon(20)]), new Date(2026, 10, 21, 8))).toBe(2);
  expect(countStreak(days, new Date(2026, 10, 22, 8))).toBe(0);
  expect(countStreak(new Set(), new Date())).toBe(0);
});

test('weeks begin on Monday and contain every day of the month once', () => {
  const weeks = weeksOf(new Date(2026, 10, 21));
  expect(weeks[0]).toEqual([null, null, null, null, null, null, 1]);
  expect(weeks.flat().filter((day) => day !== null)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
  expect(weeks.every((week) => week.length === 7)).toBe(true);
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox · Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge · Windows',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', undefined],
])('%s is %s', (userAgent, name) => expect(browserName(userAgent)).toBe(name));
